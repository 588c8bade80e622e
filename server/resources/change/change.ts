import { knex, toStatement } from "../../../db/builder.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import { parsePage } from "../../read/connection/page.ts";
import type { SqlRow, StatementBuild } from "../../read/entity.ts";
import { type JsonSql, jsonToTextSql, objectJson } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import {
  bindOrganization,
  bindParameter,
  columnSql,
  findEntity,
  getArgumentShape,
  isReadableByCallerSql,
  newRow,
} from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { Resource, RootFieldValue } from "../resource.ts";

/** A page ends after this many bytes of changes, but always contains at least one change. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Root field `changes`: the change log after a given number, oldest first. Each number is assigned under a lock that
 * is held until the commit, so a reader that continues after the last number it saw misses no change.
 */
const changes: RootFieldValue = {
  sql: changesSql,
  async refusal({ db, organizationId }, { after }) {
    const log = knex("sync").where({ organizationId }).select({ oldest: "oldestSyncId", last: "lastSyncId" });
    const [extent] = await db.query<{ oldest: number; last: number }>(toStatement(log));
    const message = `the change log does not continue from ${after}: read everything anew, then go on from ${extent?.last}`;
    return new AppError("input", message, { field: "after", extensions: { code: "SYNC_GAP", ...extent } });
  },
};

export const changeResource: Resource = {
  entity: {
    name: "Change",
    table: "change",
    columns: {
      lastSyncId: "integer",
      type: "text",
      action: "text",
      event: "text",
      entityId: "uuid",
      data: "json",
      updatedFrom: "json",
      actor: "json",
      createdAt: "timestamp",
    },
  },
  values: { changes },
};

/** SQL for the JSON text of a page of the change log. The SQL is null if the log does not continue after `after`. */
function changesSql(build: StatementBuild, selection: Selection): string {
  const { size } = parsePage(getArgumentShape(build, selection));
  const row = newRow(build, findEntity(build, "Change"));
  const after = bindParameter(
    build,
    `${selection.argumentIndex}.after`,
    "bigint",
    ({ args }) => args[selection.argumentIndex]?.after ?? 0,
  );
  const values: string[] = [];
  const json = objectJson(
    selection.children.map((child) => [child.key, memberJson(child, { row, values, after })] as const),
  );
  const weight = `octet_length(${columnSql(row, "data")}::text) + coalesce(octet_length(${columnSql(row, "updatedFrom")}::text), 0)`;
  return `(select case when ${continues(build, after)} then (select ${jsonToTextSql(json)} from (
      select p.*, row_number() over (order by n) <= ${size}
        and sum(weight) over (order by n) - weight < ${MAX_BYTES} as shown
      from (select ${[`${columnSql(row, "lastSyncId")} as n`, `${weight} as weight`, ...values].join(", ")}
        from "change" ${row.alias} where ${isReadableByCallerSql(row)} and ${columnSql(row, "lastSyncId")} > ${after}
        order by n limit ${size + 1}) p) p having true) end)`;
}

/**
 * SQL condition: the log contains every change after the number `after`. The number is at least one below the oldest
 * number in the log, and at most the last number.
 */
const continues = (build: StatementBuild, after: string): string =>
  `exists (select 1 from sync where "organizationId" = ${bindOrganization(build)}
    and ${after} between "oldestSyncId" - 1 and "lastSyncId")`;

interface ChangePage {
  row: SqlRow;
  /** Expressions for the select list. Each selected field of the page adds the expression that the field aggregates. */
  values: string[];
  after: string;
}

function memberJson(child: Selection, page: ChangePage): JsonSql {
  if (child.constant !== undefined) return [child.constant];
  if (child.field === "pageInfo") return pageInfoJson(child, page);
  const { row, values } = page;
  const name = `v${values.length}`;
  values.push(
    `${jsonToTextSql(child.field === "nodes" ? rowJson(row, child.children) : edgeJson(child, row))} as ${name}`,
  );
  return ["[", { sql: `coalesce(string_agg(${name}, ',' order by n) filter (where shown), '')` }, "]"];
}

const cursor = (sql: string): JsonSql => ['"', { sql: `(${sql})::text` }, '"'];

const edgeJson = ({ children }: Selection, row: SqlRow): JsonSql =>
  objectJson(
    children.map(({ key, field, constant, children: below }) => {
      if (constant !== undefined) return [key, [constant]] as const;
      return [key, field === "cursor" ? cursor(columnSql(row, "lastSyncId")) : rowJson(row, below)] as const;
    }),
  );

function pageInfoJson({ children }: Selection, { after }: ChangePage): JsonSql {
  const values: Record<string, JsonSql> = {
    hasNextPage: [{ sql: "coalesce(bool_or(not shown), false)::text" }],
    hasPreviousPage: [{ sql: `(${after} > 0)::text` }],
    startCursor: cursor(`coalesce(min(n) filter (where shown), ${after})`),
    // An empty page has an end cursor too, so that a follower can continue.
    endCursor: cursor(`coalesce(max(n) filter (where shown), ${after})`),
  };
  return objectJson(
    children.map(
      ({ key, field, constant }) => [key, constant ? [constant] : (getOwnProperty(values, field) ?? ["null"])] as const,
    ),
  );
}
