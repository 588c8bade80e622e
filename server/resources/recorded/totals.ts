import type { Database } from "../../../db/open.ts";
import type { Build, Entity, SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import { COUNTS, costCountsOf, isToolCall, isTurn, measuresOf, SUMS } from "./kinds.ts";
import { STUCK_MS, stateAt } from "./sessions/state.ts";

/** The name of a column of totals; that of the cost itself is computed. */
const nameOf = (column: string): string =>
  column === "cost" ? "costs" : column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The totals of a session: those in its row, and the commits that are not rolled up into it. A restored
 * session is counted event by event, until its totals are made. Raw SQL: a part of what the read planner writes.
 */
export function totals(row: SqlRow): string {
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

const MEASURES = { ...measuresOf("e"), ...costCountsOf("e") };

/** SQL of the same for the events of a session, as `e`. */
const COUNTED = `count(*), count(*) filter (where not e.success), count(*) filter (where ${isTurn("e")}),
  count(*) filter (where ${isToolCall("e")}), ${SUMS.map((name) => `coalesce(sum(${MEASURES[name]}), 0)`).join(", ")},
  coalesce(array_agg(distinct ${MEASURES.model}) filter (where ${MEASURES.model} is not null), '{}')`;

/** The totals of a session. */
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

/** SQL that is true while jobs have still to make totals of restored sessions, or to read their events. */
export function sessionsIncomplete(build: Build): string {
  const own = organization(build);
  return `(exists (select from recorded_session s where s.organization_id = ${own}
      and s.events is null)
    or exists (select from recorded_session s where s.organization_id = ${own} and s.unread_from = '-infinity'))`;
}

/** The size of a recorded session. */
interface SessionTotals {
  id: string;
  state: string;
  totals: { events: number; failures: number; turns: number; toolCalls: number };
}

/** Counts the events of sessions, of those that are there. Raw SQL: it shares the planner's rule of what a tool call is. */
export function totalsOf(db: Database, organizationId: string, ids: readonly string[]): Promise<SessionTotals[]> {
  return db.query<SessionTotals>({
    text: `select s.session_id as id, ${stateAt("s", `(now() - ${STUCK_MS} * interval '1 millisecond')`)} as state, json_build_object('events', c.events, 'failures', c.failures,
        'turns', c.turns, 'toolCalls', c.tools) as totals
      from recorded_session s
      cross join lateral (select count(*) as events, count(*) filter (where not e.success) as failures,
          count(*) filter (where ${isTurn("e")}) as turns, count(*) filter (where ${isToolCall("e")}) as tools
        from recorded_event e where e.organization_id = $1 and e.session_id = s.session_id) c
      where s.organization_id = $1 and s.session_id = any($2::uuid[])`,
    values: [organizationId, ids],
  });
}
