import type { Database } from "../../../../db/open.ts";
import { type ReadSession, readEvents } from "../unread/read-events.ts";
import { writeActions } from "./store.ts";

/** Sessions and events of each that one call reads. */
const SESSIONS = 50;
const EVENTS = 2_000;

/** Raw SQL. Sessions of $2 with events that were not read, and from when on: totals that are not rolled up know of more. */
const UNREAD = `select * from (
    select s.session_id as id, s.source, s.metadata ->> 'cwd' as cwd,
      least(nullif(s.unread_from, 'infinity'), (select min(d.began_at) from recorded_delta d
        where d.organization_id = $1 and d.session_id = s.session_id))::text as "from"
    from recorded_session s where s.organization_id = $1 and s.session_id = any($2::uuid[])) n
  where "from" is not null order by id limit ${SESSIONS + 1}`;

/**
 * Derives the actions of events that no job has read yet, of some sessions: whoever records and then asks sees them.
 * Events of hooks and telemetry are made by the projector, whose `catchUp` comes before. Answers false where there was
 * more than one request reads; the job reads the rest within a minute.
 */
export async function catchUpActions(
  db: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<boolean> {
  const found = await db.query<ReadSession & { from: string }>({
    text: UNREAD,
    values: [organizationId, [...sessionIds]],
  });
  let isComplete = found.length <= SESSIONS;
  for (const { from, ...session } of found.slice(0, SESSIONS))
    isComplete = (await readEvents(db, { ...session, organizationId }, from, [writeActions], EVENTS)) && isComplete;
  return isComplete;
}

/** Raw SQL. Sessions with events of the last minutes that were not read, the latest first. */
const RECENT = `select session_id as id from (
    (select session_id, began_at as at from recorded_delta where organization_id = $1 limit 1000)
    union all (select session_id, unread_from from recorded_session where organization_id = $1 and unread_from is not null
      order by unread_from desc, session_id desc limit ${2 * SESSIONS})) n
  where at > now() - interval '5 minutes' and at < 'infinity' group by 1 order by max(at) desc limit ${SESSIONS}`;

/** The same for the sessions of an organization in which something happened a moment ago: before lists of actions. */
export async function catchUpRecentActions(db: Database, organizationId: string): Promise<boolean> {
  const reads = ["recorded_delta", "recorded_session"];
  const found = await db.query<{ id: string }>({ text: RECENT, values: [organizationId], reads, writes: [] });
  return (
    found.length === 0 ||
    catchUpActions(
      db,
      organizationId,
      found.map(({ id }) => id),
    )
  );
}
