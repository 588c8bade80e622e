import { conditionsSql, connectionJsonSql } from "../../read/connection/connection.ts";
import { type Order, orderBySql } from "../../read/connection/order.ts";
import type { StatementBuild } from "../../read/entity.ts";
import { rowJson } from "../../read/plan.ts";
import {
  bindOrganization,
  columnSql,
  findEntity,
  getArgumentShape,
  isReadableByCallerSql,
  newRow,
} from "../../read/row.ts";
import type { ArgumentShape } from "../../read/shape.ts";
import { READY_ORDER, readySql } from "../issue/readiness.ts";
import type { RootFieldValue } from "../resource.ts";
import { filesBeingChangedSql, filesChangedForIssueSql } from "./concurrent.ts";

/** Maximum number of best ready issues. Issues whose files are being changed come last. */
const BEST = 50;

const STEP = { descending: false, nullsFirst: false, nullable: false, served: false };
const READY: Order = {
  signature: "ready",
  steps: READY_ORDER.map((step, at) => ({ ...STEP, ...step, name: `ready${at}` })),
};
const OFFERED: Order = {
  signature: "offered",
  steps: [{ ...STEP, name: "inTheWay", type: "integer", sql: (row) => columnSql(row, "inTheWay") }, ...READY.steps],
};

/**
 * SQL for the best ready issues that match a filter. The column `inTheWay` is 1 if somebody is changing files that
 * sessions of the issue or of related issues changed before. Raw SQL, like all statements here: a fragment for the read
 * planner.
 * @throws inputError for a filter that causes too much work
 */
function bestSql(build: StatementBuild, argumentIndex: number, filter: ArgumentShape["filter"]): string {
  const row = newRow(build, findEntity(build, "Issue"));
  const tenant = bindOrganization(build);
  const conditions = [isReadableByCallerSql(row), readySql(row), ...conditionsSql(row, argumentIndex, { filter })];
  const best = `select ${row.alias}.* from issue ${row.alias}${row.frame.joins.join("")}
    where ${conditions.join(" and ")} order by ${orderBySql(row, READY, false)} limit ${BEST}`;
  return `with busy as materialized (${filesBeingChangedSql(tenant)})
    select b.*, (exists (select from busy c where c.path in (${filesChangedForIssueSql(tenant, "b.id")})))::integer as "inTheWay" from (${best}) b`;
}

/** SQL for the id of the issue that a claim with a filter gets. */
export function bestReadySql(build: StatementBuild, argumentIndex: number, filter: ArgumentShape["filter"]): string {
  const row = newRow(build, findEntity(build, "Issue"));
  return `select ${columnSql(row, "id")} as id from (${bestSql(build, argumentIndex, filter)}) ${row.alias}
    order by ${orderBySql(row, OFFERED, false)} limit 1`;
}

/** Root field `readyIssues`: issues that can be started, in the order in which claims take the issues. */
export const readyIssues: RootFieldValue = {
  most: BEST,
  sql: (build, selection) =>
    connectionJsonSql(build, {
      source: null,
      link: {
        entity: "Issue",
        rows: () => bestSql(build, selection.argumentIndex, getArgumentShape(build, selection).filter),
      },
      selection,
      rowJson,
      order: OFFERED,
      passed: true,
    }),
};
