import { conditionsOf, connectionJson } from "../../read/connection/connection.ts";
import { type Order, orderBy } from "../../read/connection/order.ts";
import type { Build } from "../../read/entity.ts";
import { rowJson } from "../../read/plan.ts";
import { column, entityOf, inTenant, newRow, organization, shapeOf } from "../../read/row.ts";
import type { Shape } from "../../read/shape.ts";
import { READY_ORDER, readySql } from "../issue/readiness.ts";
import type { RootValue } from "../resource.ts";
import { busySql, touchedSql } from "./concurrent.ts";

/** The best ready issues: those whose files somebody changes right now come last of them. */
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
 * SQL of the best ready issues that pass a filter, each with a 1 in `inTheWay` if somebody changes its files. Raw SQL, as all
 * of this: a part of what the read planner writes.
 * @throws inputError for a filter that asks for too much
 */
function bestSql(build: Build, argumentIndex: number, filter: Shape["filter"]): string {
  const row = newRow(build, entityOf(build, "Issue"));
  const tenant = organization(build);
  const conditions = [inTenant(row), readySql(row), ...conditionsOf(row, argumentIndex, { filter })];
  const best = `select ${row.alias}.* from issue ${row.alias}${row.frame.joins.join("")}
    where ${conditions.join(" and ")} order by ${orderBy(row, READY, false)} limit ${BEST}`;
  return `with busy as materialized (${busySql(tenant)})
    select b.*, (exists (select from busy c where c.path in (${touchedSql(tenant, "b.id")})))::integer as "inTheWay" from (${best}) b`;
}

/** SQL of the id of the issue that a claim by filter takes. */
export function bestReadySql(build: Build, argumentIndex: number, filter: Shape["filter"]): string {
  const row = newRow(build, entityOf(build, "Issue"));
  return `select ${column(row, "id")} as id from (${bestSql(build, argumentIndex, filter)}) ${row.alias}
    order by ${orderBy(row, OFFERED, false)} limit 1`;
}

/** Root field `readyIssues`: what can be begun, in the order in which claims take it. */
export const readyIssues: RootValue = {
  most: BEST,
  sql: (build, selection) =>
    connectionJson(build, {
      source: null,
      link: { entity: "Issue", rows: () => bestSql(build, selection.argumentIndex, shapeOf(build, selection).filter) },
      selection,
      rowJson,
      order: OFFERED,
      passed: true,
    }),
};
