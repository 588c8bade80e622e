import { readOwn } from "../../../../formats/own.ts";
import type { SqlRow } from "../../../read/entity.ts";
import { bind, column, organization } from "../../../read/row.ts";
import type { ArgumentPath } from "../../../read/selection.ts";
import { readAllowedValues } from "../computed-row.ts";

/** A working session without reports for this time is stuck. */
export const STUCK_MS = 10 * 60_000;

/** SQL for the time before which a working session without later reports is stuck. */
const stuckBefore = (row: SqlRow): string =>
  bind(row.build, "stuck.before", "timestamptz", ({ scope }) => new Date(scope.at.getTime() - STUCK_MS).toISOString());

/** SQL conditions for the states of a session. Each condition begins with an indexed condition. */
const CONDITIONS: Readonly<Record<string, (session: string, before: () => string) => string>> = {
  working: (s, before) => `${s}.state = 'working' and ${s}.last_received_at >= ${before()} and ${s}.loop_since is null`,
  waitingForPermission: (s) => `${s}.state = 'waitingForPermission'`,
  waitingForAnswer: (s) => `${s}.state = 'waitingForAnswer'`,
  stuck: (s, before) => `${s}.state = 'working' and ${s}.last_received_at < ${before()}`,
  looping: (s, before) => `${s}.loop_since is not null and ${s}.last_received_at >= ${before()}`,
  idle: (s, before) => `${s}.state = 'idle' and (${s}.loop_since is null or ${s}.last_received_at < ${before()})`,
  failed: (s, before) => `${s}.state = 'failed' and (${s}.loop_since is null or ${s}.last_received_at < ${before()})`,
  ended: (s) => `${s}.state = 'ended'`,
};

const SESSION_STATES = Object.keys(CONDITIONS);

/**
 * SQL condition: the session with an alias is in a state. `before` gives the time before which the session would be
 * stuck.
 */
export const isInStateSql = (state: string, session: string, before: () => string): string =>
  readOwn(CONDITIONS, state)?.(session, before) ?? "false";

/** SQL for a session's state at a time, from the stored state, the last calls and the clock. */
export const stateAtSql = (s: string, before: string): string => `(case when ${s}.last_received_at < ${before}
    then case ${s}.state when 'working' then 'stuck' else ${s}.state end
  when ${s}.loop_since is not null then 'looping' else ${s}.state end)`;

/** SQL for the time a session entered its state. A stuck session entered it at its last report. */
export const stateSinceSql = (s: string, before: string): string => `(case
  when ${s}.last_received_at >= ${before} and ${s}.loop_since is not null then ${s}.loop_since
  when ${s}.last_received_at < ${before} and ${s}.state = 'working' then ${s}.last_received_at
  else coalesce(${s}.state_since, ${s}.ended_at, ${s}."timestamp") end)`;

/**
 * SQL for the id of the event that a session's state is about: the call that the session waits for, or the last
 * repeated call.
 */
export const stateEventSql = (s: string, before: string): string => `(case
  when ${s}.last_received_at >= ${before} and ${s}.loop_since is not null then ${s}.loop_event else ${s}.waits_event end)`;

export const sessionState = (row: SqlRow): string => stateAtSql(row.alias, stuckBefore(row));
export const sessionStateSince = (row: SqlRow): string => stateSinceSql(row.alias, stuckBefore(row));
export const isStateEvent = (event: SqlRow, session: SqlRow | null): string =>
  session ? `${column(event, "id")} = ${stateEventSql(session.alias, stuckBefore(session))}` : "false";

/**
 * SQL for the filter by states. The states are known while the SQL is written, so an index can be used for each
 * state.
 */
export function isInStates(row: SqlRow, { value }: ArgumentPath): string {
  const asked = readAllowedValues(SESSION_STATES, value);
  if (asked.length === SESSION_STATES.length) return "true";
  return asked.length === 0
    ? "false"
    : `(${asked.map((state) => `(${isInStateSql(state, row.alias, () => stuckBefore(row))})`).join(" or ")})`;
}

/** A session with data within this time counts as active. */
const ACTIVE_MS = 60_000;

/**
 * SQL condition: a session is active. Open events and deltas that are not rolled up are few, so each set is read once
 * for all sessions. Raw SQL: a fragment for the read planner.
 */
export function activeSql(row: SqlRow): string {
  const since = bind(row.build, "active.since", "timestamptz", ({ scope }) =>
    new Date(scope.at.getTime() - ACTIVE_MS).toISOString(),
  );
  const [tenant, id] = [organization(row.build), column(row, "id")];
  return `(${id} in (select o.session_id from recorded_open o where o.organization_id = ${tenant})
    or coalesce(${row.alias}.ended_at, ${column(row, "startedAt")}) > ${since}
    or ${id} in (select d.session_id from recorded_delta d where d.organization_id = ${tenant} and d.ended_at > ${since}))`;
}
