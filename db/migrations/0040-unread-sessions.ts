import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/**
 * Sessions that were not looked through for issues since they got something name themselves, so that nobody walks all of
 * them; what awaits a session is found by the session's name, and by its own age.
 */
export const unreadSessions: Migration = {
  id: "0040-unread-sessions",
  statements: [
    // From when on events were not looked through; infinity: no event, but the session itself. Empty: all is looked through.
    "alter table recorded_session add column if not exists unread_from timestamptz(3)",
    // When the first of the events began. Empty in what an older server noted.
    "alter table recorded_delta add column if not exists began_at timestamptz(3)",
    ...builtConcurrently(
      "recorded_session_unread",
      "recorded_session (organization_id, unread_from, session_id) where unread_from is not null",
    ),
    ...builtConcurrently("awaited_session_reference", `"awaitedSession" ("organizationId", lower(reference))`),
    ...builtConcurrently("awaited_session_age", `"awaitedSession" ("organizationId", "createdAt")`),
    // What was recorded before this and not looked through, or not to its end.
    {
      untilNone: `update recorded_session s set unread_from = '-infinity'
        from (select s.organization_id, s.session_id from recorded_session s
          left join recorded_scan x on x.organization_id = s.organization_id and x.session_id = s.session_id
          where s.unread_from is null and (x.session_id is null or x.scanned_at < s.last_received_at
            or x.events is distinct from s.events) limit 10000) n
        where s.organization_id = n.organization_id and s.session_id = n.session_id`,
    },
  ],
};
