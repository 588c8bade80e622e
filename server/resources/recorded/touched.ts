import type { Database } from "../../../db/open.ts";
import { isToolCall, isTurn } from "./kinds.ts";
import { STUCK_MS, stateAt } from "./sessions/state.ts";

/** The size of a recorded session. */
export interface SessionTotals {
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
