import { readOwn } from "../../../../formats/own.ts";
import type { SqlRow } from "../../../read/entity.ts";
import { bind, column, organization } from "../../../read/row.ts";
import type { ArgumentPath } from "../../../read/selection.ts";
import { chosen } from "../computed-row.ts";

/** A session of which nothing came for so long amid a turn is stuck. */
export const STUCK_MS = 10 * 60_000;

/** SQL of the moment before which a session that works is stuck. */
const stuckBefore = (row: SqlRow): string =>
  bind(row.build, "stuck.before", "timestamptz", ({ scope }) => new Date(scope.at.getTime() - STUCK_MS).toISOString());

/** SQL of the condition that a session is in a state. Each begins with what an index knows. */
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

/** Every state that a session may be in. */
const SESSION_STATES = Object.keys(CONDITIONS);

/** SQL of the condition that a session of this alias is in a state, by the moment before which it would be stuck. */
export const isInState = (state: string, session: string, before: () => string): string =>
  readOwn(CONDITIONS, state)?.(session, before) ?? "false";

/** SQL of a session's state at a moment: what is stored of it, and what its last calls and the clock say. */
export const stateAt = (s: string, before: string): string => `(case when ${s}.last_received_at < ${before}
    then case ${s}.state when 'working' then 'stuck' else ${s}.state end
  when ${s}.loop_since is not null then 'looping' else ${s}.state end)`;

/** SQL of since when it is in it: one that is stuck, since its last report. */
export const sinceAt = (s: string, before: string): string => `(case
  when ${s}.last_received_at >= ${before} and ${s}.loop_since is not null then ${s}.loop_since
  when ${s}.last_received_at < ${before} and ${s}.state = 'working' then ${s}.last_received_at
  else coalesce(${s}.state_since, ${s}.ended_at, ${s}."timestamp") end)`;

/** SQL of the id of the event that its state is about: the call that it waits for, or the last that it repeats. */
export const eventOf = (s: string, before: string): string => `(case
  when ${s}.last_received_at >= ${before} and ${s}.loop_since is not null then ${s}.loop_event else ${s}.waits_event end)`;

export const sessionState = (row: SqlRow): string => stateAt(row.alias, stuckBefore(row));
export const sessionStateSince = (row: SqlRow): string => sinceAt(row.alias, stuckBefore(row));
export const isStateEvent = (event: SqlRow, session: SqlRow | null): string =>
  session ? `${column(event, "id")} = ${eventOf(session.alias, stuckBefore(session))}` : "false";

/** SQL of the filter by states: which they are is known when it is written, so that an index serves each. */
export function isInStates(row: SqlRow, { value }: ArgumentPath): string {
  const asked = chosen(SESSION_STATES, value);
  if (asked.length === SESSION_STATES.length) return "true";
  return asked.length === 0
    ? "false"
    : `(${asked.map((state) => `(${isInState(state, row.alias, () => stuckBefore(row))})`).join(" or ")})`;
}

/** A session that got something in this time goes on. */
const ACTIVE_MS = 60_000;

/**
 * SQL of whether a session goes on. The open events and the commits that are not rolled up are few: each is read once
 * for all sessions, and not for each of them. Raw SQL: a part of what the read planner writes.
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
