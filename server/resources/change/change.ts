import { knex, toStatement } from "../../../db/builder.ts";
import { readOwn } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import { parsePage } from "../../read/connection/page.ts";
import type { Build, SqlRow } from "../../read/entity.ts";
import { type Json, objectJson, textSql } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { bind, column, findEntity, inTenantSql, newRow, organization, readShape } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { Resource, RootValue } from "../resource.ts";

/** A page ends after this many bytes of changes, but always contains at least one change. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Root field `changes`: the change log after a given number, oldest first. Each number is assigned under a lock that
 * is held until the commit, so a reader that continues after the last number it saw misses no change.
 */
const changes: RootValue = {
  sql: changesSql,
  async refusal({ db, organizationId }, { after }) {
    const log = knex("sync").where({ organizationId }).select({ oldest: "oldestSyncId", last: "lastSyncId" });
    const [extent] = await db.query<{ oldest: number; last: number }>(toStatement(log));
    const message = `the change log does not continue from ${after}: read everything anew, then go on from ${extent?.last}`;
    return new AppError("input", message, { field: "after", extensions: { code: "SYNC_GAP", ...extent } });
  },
};

export const change: Resource = {
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

/** SQL for the text of a page of the log; null if the log does not continue after `after`. */
function changesSql(build: Build, selection: Selection): string {
  const { size } = parsePage(readShape(build, selection));
  const row = newRow(build, findEntity(build, "Change"));
  const after = bind(
    build,
    `${selection.argumentIndex}.after`,
    "bigint",
    ({ args }) => args[selection.argumentIndex]?.after ?? 0,
  );
  const values: string[] = [];
  const json = objectJson(
    selection.children.map((child) => [child.key, memberJson(child, { row, values, after })] as const),
  );
  const weight = `octet_length(${column(row, "data")}::text) + coalesce(octet_length(${column(row, "updatedFrom")}::text), 0)`;
  return `(select case when ${continues(build, after)} then (select ${textSql(json)} from (
      select p.*, row_number() over (order by n) <= ${size}
        and sum(weight) over (order by n) - weight < ${MAX_BYTES} as shown
      from (select ${[`${column(row, "lastSyncId")} as n`, `${weight} as weight`, ...values].join(", ")}
        from "change" ${row.alias} where ${inTenantSql(row)} and ${column(row, "lastSyncId")} > ${after}
        order by n limit ${size + 1}) p) p having true) end)`;
}

/**
 * SQL condition: the log contains every change after a number. The number is neither older than the kept log nor
 * higher than the last change.
 */
const continues = (build: Build, after: string): string =>
  `exists (select 1 from sync where "organizationId" = ${organization(build)}
    and ${after} between "oldestSyncId" - 1 and "lastSyncId")`;

interface ChangePage {
  row: SqlRow;
  /** Select list of the rows. Each member adds the value that it aggregates. */
  values: string[];
  after: string;
}

function memberJson(child: Selection, page: ChangePage): Json {
  if (child.constant !== undefined) return [child.constant];
  if (child.field === "pageInfo") return pageInfoJson(child, page);
  const { row, values } = page;
  const name = `v${values.length}`;
  values.push(`${textSql(child.field === "nodes" ? rowJson(row, child.children) : edgeJson(child, row))} as ${name}`);
  return ["[", { sql: `coalesce(string_agg(${name}, ',' order by n) filter (where shown), '')` }, "]"];
}

const cursor = (sql: string): Json => ['"', { sql: `(${sql})::text` }, '"'];

const edgeJson = ({ children }: Selection, row: SqlRow): Json =>
  objectJson(
    children.map(({ key, field, constant, children: below }) => {
      if (constant !== undefined) return [key, [constant]] as const;
      return [key, field === "cursor" ? cursor(column(row, "lastSyncId")) : rowJson(row, below)] as const;
    }),
  );

function pageInfoJson({ children }: Selection, { after }: ChangePage): Json {
  const values: Record<string, Json> = {
    hasNextPage: [{ sql: "coalesce(bool_or(not shown), false)::text" }],
    hasPreviousPage: [{ sql: `(${after} > 0)::text` }],
    startCursor: cursor(`coalesce(min(n) filter (where shown), ${after})`),
    // An empty page has an end cursor too, so that a follower can continue.
    endCursor: cursor(`coalesce(max(n) filter (where shown), ${after})`),
  };
  return objectJson(
    children.map(
      ({ key, field, constant }) => [key, constant ? [constant] : (readOwn(values, field) ?? ["null"])] as const,
    ),
  );
}
