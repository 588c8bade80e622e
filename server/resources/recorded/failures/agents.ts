import { nullable, type SqlRow } from "../../../read/entity.ts";
import { bindOrganization, columnSql, findEntity, newRow } from "../../../read/row.ts";
import type { Resource } from "../../resource.ts";
import { joinAgentSql } from "../kinds.ts";
import { sessionTotalsSql } from "../totals.ts";

/**
 * Maximum number of a group's newest rows in recorded_failure, one per hour and session, that are counted by agent.
 * Maximum number of agents in a response.
 */
const COUNTED = 500;
export const MAX_FAILURE_AGENTS = 50;

/**
 * Raw SQL: a fragment for the read planner. Counts the newest failures of a group by agent, with the number and the
 * cost of the sessions.
 */
export function agentCountsSql(row: SqlRow): string {
  const own = bindOrganization(row.build);
  const session = newRow(row.build, findEntity(row.build, "RecordedSession"));
  const { alias } = session;
  return `select *, row_number() over (order by count desc, name) as position from (
      select coalesce(${alias}.source, t.agent, '') as name, coalesce(${alias}.source, t.agent, '') as id,
        sum(f.failures) as count, count(*) as sessions,
        sum(c.costs) filter (where c."reportedCosts" + c."computedCosts" > 0) as cost
      from (select session_id, sum(failures) as failures from (select f.session_id, f.failures from recorded_failure f
          where f.organization_id = ${own} and f.group_id = ${columnSql(row, "id")}
          order by f.hour desc, f.session_id limit ${COUNTED}) n group by session_id) f
      join recorded_session ${alias} on ${alias}.organization_id = ${own} and ${alias}.session_id = f.session_id
      left join lateral (${sessionTotalsSql(session)}) c on true
      ${joinAgentSql(own, "f.session_id", `${alias}.source`)}
      group by 1) a order by count desc, name limit ${MAX_FAILURE_AGENTS}`;
}

/** An agent with failures of a group. */
export const recordedFailureAgent: Resource = {
  entity: {
    name: "RecordedFailureAgent",
    table: "",
    columns: { name: "text", count: "integer", sessions: "integer", cost: nullable("float"), position: "integer" },
  },
};
