import { getOwnProperty } from "../../../../formats/own.ts";
import type { SqlRow } from "../../../read/entity.ts";
import { bindOrganization, bindParameter, columnSql } from "../../../read/row.ts";
import type { ArgumentPath } from "../../../read/selection.ts";
import { readAllowedValues } from "../computed-row.ts";

/** A working session without reports for this time is stuck. */
export const STUCK_AFTER_MS = 10 * 60_000;

/** SQL for a time: a working session whose last report is older than this time is stuck. */
const stuckBefore = (row: SqlRow): string =>
  bindParameter(row.build, "stuck.before", "timestamptz", ({ scope }) =>
    new Date(scope.at.getTime() - STUCK_AFTER_MS).toISOString(),
  );

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
 * SQL condition: a session is in a state. `session` is the alias of the session's row. `before` returns SQL for the
 * time before which a stuck session has sent its last report.
 */
export const isSessionInStateSql = (state: string, session: string, before: () => string): string =>
  getOwnProperty(CONDITIONS, state)?.(session, before) ?? "false";

/**
 * SQL for the state of a session at a time. A working session without recent reports is stuck, and a session that
 * repeats its last calls is looping. In other cases, the stored state applies.
 */
export const sessionStateAtSql = (s: string, before: string): string => `(case when ${s}.last_received_at < ${before}
    then case ${s}.state when 'working' then 'stuck' else ${s}.state end
  when ${s}.loop_since is not null then 'looping' else ${s}.state end)`;

/** SQL for the time a session entered its state. A stuck session entered the state `stuck` at its last report. */
export const stateEnteredAtSql = (s: string, before: string): string => `(case
  when ${s}.last_received_at >= ${before} and ${s}.loop_since is not null then ${s}.loop_since
  when ${s}.last_received_at < ${before} and ${s}.state = 'working' then ${s}.last_received_at
  else coalesce(${s}.state_since, ${s}.ended_at, ${s}."timestamp") end)`;

/**
 * SQL for the id of the event that a session's state is about: the call that the session waits for, or the last
 * repeated call.
 */
export const stateEventIdSql = (s: string, before: string): string => `(case
  when ${s}.last_received_at >= ${before} and ${s}.loop_since is not null then ${s}.loop_event else ${s}.waits_event end)`;

export const sessionStateSql = (row: SqlRow): string => sessionStateAtSql(row.alias, stuckBefore(row));
export const sessionStateSinceSql = (row: SqlRow): string => stateEnteredAtSql(row.alias, stuckBefore(row));
export const isStateEventSql = (event: SqlRow, session: SqlRow | null): string =>
  session ? `${columnSql(event, "id")} = ${stateEventIdSql(session.alias, stuckBefore(session))}` : "false";

/**
 * SQL for the filter by states. The states are known while the SQL is written, so an index can be used for each
 * state.
 */
export function isSessionInStatesSql(row: SqlRow, { value }: ArgumentPath): string {
  const asked = readAllowedValues(SESSION_STATES, value);
  if (asked.length === SESSION_STATES.length) return "true";
  return asked.length === 0
    ? "false"
    : `(${asked.map((state) => `(${isSessionInStateSql(state, row.alias, () => stuckBefore(row))})`).join(" or ")})`;
}

/** A session with data within this time counts as active. */
const ACTIVE_MS = 60_000;

/**
 * SQL condition: a session is active, because an event is open, or because the last event ended, or the session began,
 * within ACTIVE_MS. There are few open events and few deltas that are not rolled up, so each set is read once for all
 * sessions. Raw SQL: a fragment for the read planner.
 */
export function isSessionActiveSql(row: SqlRow): string {
  const since = bindParameter(row.build, "active.since", "timestamptz", ({ scope }) =>
    new Date(scope.at.getTime() - ACTIVE_MS).toISOString(),
  );
  const [tenant, id] = [bindOrganization(row.build), columnSql(row, "id")];
  return `(${id} in (select o.session_id from recorded_open o where o.organization_id = ${tenant})
    or coalesce(${row.alias}.ended_at, ${columnSql(row, "startedAt")}) > ${since}
    or ${id} in (select d.session_id from recorded_delta d where d.organization_id = ${tenant} and d.ended_at > ${since}))`;
}
