import { conditionsSql, connectionJson } from "../../read/connection/connection.ts";
import { type Order, orderBySql } from "../../read/connection/order.ts";
import type { Build } from "../../read/entity.ts";
import { rowJson } from "../../read/plan.ts";
import { column, findEntity, inTenantSql, newRow, organization, readShape } from "../../read/row.ts";
import type { Shape } from "../../read/shape.ts";
import { READY_ORDER, readySql } from "../issue/readiness.ts";
import type { RootValue } from "../resource.ts";
import { busySql, touchedSql } from "./concurrent.ts";

/** Maximum number of best ready issues. Issues whose files are being changed come last. */
const BEST = 50;

const STEP = { descending: false, nullsFirst: false, nullable: false, served: false };
const READY: Order = {
  signature: "ready",
  steps: READY_ORDER.map((step, at) => ({ ...STEP, ...step, name: `ready${at}` })),
};
const OFFERED: Order = {
  signature: "offered",
  steps: [{ ...STEP, name: "inTheWay", type: "integer", sql: (row) => column(row, "inTheWay") }, ...READY.steps],
};

/**
 * SQL for the best ready issues that match a filter, with 1 in `inTheWay` if a user is changing the issue's files.
 * Raw SQL, like all statements here: a fragment for the read planner.
 * @throws inputError for a filter that causes too much work
 */
function bestSql(build: Build, argumentIndex: number, filter: Shape["filter"]): string {
  const row = newRow(build, findEntity(build, "Issue"));
  const tenant = organization(build);
  const conditions = [inTenantSql(row), readySql(row), ...conditionsSql(row, argumentIndex, { filter })];
  const best = `select ${row.alias}.* from issue ${row.alias}${row.frame.joins.join("")}
    where ${conditions.join(" and ")} order by ${orderBySql(row, READY, false)} limit ${BEST}`;
  return `with busy as materialized (${busySql(tenant)})
    select b.*, (exists (select from busy c where c.path in (${touchedSql(tenant, "b.id")})))::integer as "inTheWay" from (${best}) b`;
}

/** SQL for the id of the issue that a claim with a filter gets. */
export function bestReadySql(build: Build, argumentIndex: number, filter: Shape["filter"]): string {
  const row = newRow(build, findEntity(build, "Issue"));
  return `select ${column(row, "id")} as id from (${bestSql(build, argumentIndex, filter)}) ${row.alias}
    order by ${orderBySql(row, OFFERED, false)} limit 1`;
}

/** Root field `readyIssues`: issues that can be started, in the order in which claims take the issues. */
export const readyIssues: RootValue = {
  most: BEST,
  sql: (build, selection) =>
    connectionJson(build, {
      source: null,
      link: {
        entity: "Issue",
        rows: () => bestSql(build, selection.argumentIndex, readShape(build, selection).filter),
      },
      selection,
      rowJson,
      order: OFFERED,
      passed: true,
    }),
};
