import { nullable, type SqlRow } from "../../../read/entity.ts";
import { column, findEntity, newRow, organization } from "../../../read/row.ts";
import type { Resource } from "../../resource.ts";
import { joinAgentSql } from "../kinds.ts";
import { totalsSql } from "../totals.ts";

/**
 * Maximum number of a group's newest failures that are counted by agent, with a single failure per hour and session,
 * and maximum number of shown agents.
 */
const COUNTED = 500;
export const MOST_AGENTS = 50;

/**
 * Raw SQL: a fragment for the read planner. The agents of a group's newest failures, with the sessions and their
 * cost.
 */
export function agentCountsSql(row: SqlRow): string {
  const own = organization(row.build);
  const session = newRow(row.build, findEntity(row.build, "RecordedSession"));
  const { alias } = session;
  return `select *, row_number() over (order by count desc, name) as position from (
      select coalesce(${alias}.source, t.agent, '') as name, coalesce(${alias}.source, t.agent, '') as id,
        sum(f.failures) as count, count(*) as sessions,
        sum(c.costs) filter (where c."reportedCosts" + c."computedCosts" > 0) as cost
      from (select session_id, sum(failures) as failures from (select f.session_id, f.failures from recorded_failure f
          where f.organization_id = ${own} and f.group_id = ${column(row, "id")}
          order by f.hour desc, f.session_id limit ${COUNTED}) n group by session_id) f
      join recorded_session ${alias} on ${alias}.organization_id = ${own} and ${alias}.session_id = f.session_id
      left join lateral (${totalsSql(session)}) c on true
      ${joinAgentSql(own, "f.session_id", `${alias}.source`)}
      group by 1) a order by count desc, name limit ${MOST_AGENTS}`;
}

/** An agent with failures of a group. */
export const recordedFailureAgent: Resource = {
  entity: {
    name: "RecordedFailureAgent",
    table: "",
    columns: { name: "text", count: "integer", sessions: "integer", cost: nullable("float"), position: "integer" },
  },
};
