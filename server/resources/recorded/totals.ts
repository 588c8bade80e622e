import type { Database } from "../../../db/open.ts";
import type { Entity, SqlRow, StatementBuild } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import {
  costCountsSql,
  EVENT_COUNT_COLUMNS,
  isToolCallSql,
  isTurnSql,
  measuresSql,
  SESSION_SUM_COLUMNS,
} from "./kinds.ts";
import { STUCK_AFTER_MS, sessionStateAtSql } from "./sessions/state.ts";

/** Returns the field name of a totals column. The cost has another name, because the field `cost` is computed. */
const nameOf = (column: string): string =>
  column === "cost" ? "costs" : column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * SQL for the totals of a session: the totals in the session's row, plus the deltas that are not rolled up. If a
 * restored session has no totals yet, its events are counted individually. Raw SQL: a fragment for the read planner.
 */
export function sessionTotalsSql(row: SqlRow): string {
  const { alias } = row;
  const same = (other: string) =>
    `${other}.organization_id = ${bindOrganization(row.build)} and ${other}.session_id = ${columnSql(row, "id")}`;
  const kept = [...EVENT_COUNT_COLUMNS, ...SESSION_SUM_COLUMNS].map(
    (name) => `coalesce(${alias}.${name}, 0) + coalesce(sum(d.${name}), 0) as "${nameOf(name)}"`,
  );
  const models = `array(select k from (select jsonb_object_keys(${alias}.models) as k union
    select jsonb_object_keys(m.models) from recorded_delta m where ${same("m")}) k order by k)`;
  return `select ${kept.join(", ")}, ${models} as models
      from recorded_delta d where ${same("d")} having ${alias}.events is not null
    union all
    select ${COUNTED}
      from recorded_event e where ${same("e")} and ${alias}.events is null having ${alias}.events is null`;
}

const MEASURES = { ...measuresSql("e"), ...costCountsSql("e") };

/** SQL for the totals of a session's events `e`. */
const COUNTED = `count(*), count(*) filter (where not e.success), count(*) filter (where ${isTurnSql("e")}),
  count(*) filter (where ${isToolCallSql("e")}), ${SESSION_SUM_COLUMNS.map((name) => `coalesce(sum(${MEASURES[name]}), 0)`).join(", ")},
  coalesce(array_agg(distinct ${MEASURES.model}) filter (where ${MEASURES.model} is not null), '{}')`;

export const recordedTotalsResource: { entity: Entity } = {
  entity: {
    name: "RecordedTotals",
    table: "",
    columns: {
      events: "integer",
      failures: "integer",
      turns: "integer",
      toolCalls: "integer",
      inputTokens: "integer",
      outputTokens: "integer",
      cacheReadTokens: "integer",
      cacheWriteTokens: "integer",
      missingCosts: "integer",
      models: "text[]",
    },
    internal: { costs: "float", reportedCosts: "integer", computedCosts: "integer" },
    computed: {
      cost: {
        type: "float",
        sql: (row) =>
          `case when ${columnSql(row, "reportedCosts")} + ${columnSql(row, "computedCosts")} > 0 then ${columnSql(row, "costs")} end`,
      },
      costSource: {
        type: "text",
        sql: (row) => `case when ${columnSql(row, "computedCosts")} > 0 then 'computed'
          when ${columnSql(row, "reportedCosts")} > 0 then 'reported' else 'none' end`,
      },
    },
  },
};

/**
 * SQL condition: there are restored sessions whose totals no job has computed yet, or whose events no job has read yet.
 */
export function areSessionsIncompleteSql(build: StatementBuild): string {
  const own = bindOrganization(build);
  return `(exists (select from recorded_session s where s.organization_id = ${own}
      and s.events is null)
    or exists (select from recorded_session s where s.organization_id = ${own} and s.unread_from = '-infinity'))`;
}

/** State of a recorded session, and numbers of its events, failures, turns and tool calls. */
interface SessionTotals {
  id: string;
  state: string;
  totals: { events: number; failures: number; turns: number; toolCalls: number };
}

/** Counts the events of those given sessions that exist. Raw SQL: shares the planner's definition of a tool call. */
export function readSessionTotals(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<SessionTotals[]> {
  return db.query<SessionTotals>({
    text: `select s.session_id as id, ${sessionStateAtSql("s", `(now() - ${STUCK_AFTER_MS} * interval '1 millisecond')`)} as state, json_build_object('events', c.events, 'failures', c.failures,
        'turns', c.turns, 'toolCalls', c.tools) as totals
      from recorded_session s
      cross join lateral (select count(*) as events, count(*) filter (where not e.success) as failures,
          count(*) filter (where ${isTurnSql("e")}) as turns, count(*) filter (where ${isToolCallSql("e")}) as tools
        from recorded_event e where e.organization_id = $1 and e.session_id = s.session_id) c
      where s.organization_id = $1 and s.session_id = any($2::uuid[])`,
    values: [organizationId, ids],
  });
}
