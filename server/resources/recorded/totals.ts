import type { Database } from "../../../db/open.ts";
import type { Build, Entity, SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import { COUNTS, costCountsSql, isToolCallSql, isTurnSql, measuresSql, SUMS } from "./kinds.ts";
import { STUCK_MS, stateAtSql } from "./sessions/state.ts";

/** Returns the field name of a totals column. The cost has another name, because the field `cost` is computed. */
const nameOf = (column: string): string =>
  column === "cost" ? "costs" : column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The totals of a session: the totals in its row, plus deltas that are not rolled up. The events of a restored
 * session are counted individually until the totals are computed. Raw SQL: a fragment for the read planner.
 */
export function totalsSql(row: SqlRow): string {
  const { alias } = row;
  const same = (other: string) =>
    `${other}.organization_id = ${organization(row.build)} and ${other}.session_id = ${column(row, "id")}`;
  const kept = [...COUNTS, ...SUMS].map(
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
  count(*) filter (where ${isToolCallSql("e")}), ${SUMS.map((name) => `coalesce(sum(${MEASURES[name]}), 0)`).join(", ")},
  coalesce(array_agg(distinct ${MEASURES.model}) filter (where ${MEASURES.model} is not null), '{}')`;

export const recordedTotals: { entity: Entity } = {
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
          `case when ${column(row, "reportedCosts")} + ${column(row, "computedCosts")} > 0 then ${column(row, "costs")} end`,
      },
      costSource: {
        type: "text",
        sql: (row) => `case when ${column(row, "computedCosts")} > 0 then 'computed'
          when ${column(row, "reportedCosts")} > 0 then 'reported' else 'none' end`,
      },
    },
  },
};

/** SQL condition: jobs have not yet computed the totals of restored sessions, or read their events. */
export function sessionsIncomplete(build: Build): string {
  const own = organization(build);
  return `(exists (select from recorded_session s where s.organization_id = ${own}
      and s.events is null)
    or exists (select from recorded_session s where s.organization_id = ${own} and s.unread_from = '-infinity'))`;
}

/** Numbers of events of a recorded session. */
interface SessionTotals {
  id: string;
  state: string;
  totals: { events: number; failures: number; turns: number; toolCalls: number };
}

/**
 * Counts the events of the existing sessions among the given sessions. Raw SQL: shares the planner's definition of a
 * tool call.
 */
export function readTotals(db: Database, organizationId: string, ids: readonly string[]): Promise<SessionTotals[]> {
  return db.query<SessionTotals>({
    text: `select s.session_id as id, ${stateAtSql("s", `(now() - ${STUCK_MS} * interval '1 millisecond')`)} as state, json_build_object('events', c.events, 'failures', c.failures,
        'turns', c.turns, 'toolCalls', c.tools) as totals
      from recorded_session s
      cross join lateral (select count(*) as events, count(*) filter (where not e.success) as failures,
          count(*) filter (where ${isTurnSql("e")}) as turns, count(*) filter (where ${isToolCallSql("e")}) as tools
        from recorded_event e where e.organization_id = $1 and e.session_id = s.session_id) c
      where s.organization_id = $1 and s.session_id = any($2::uuid[])`,
    values: [organizationId, ids],
  });
}
