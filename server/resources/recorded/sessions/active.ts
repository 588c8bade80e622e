import type { SqlRow } from "../../../read/entity.ts";
import { bind, column, organization } from "../../../read/row.ts";

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
