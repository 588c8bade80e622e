import { posix } from "node:path";
import type { Database } from "../../../../db/open.ts";
import { type EventBatchReader, readEventsInBatches, type SessionToRead } from "../unread/read-events.ts";
import type { Action, Commit, FileChange } from "./action.ts";
import { readActions } from "./read.ts";

/** Maximum number of actions per session. The newest actions are kept. */
const MOST = 5_000;

/**
 * An action that is stored, because file changes and commits are searched across sessions. Other actions are derived
 * from the recorded calls when needed.
 */
type Kept = FileChange | Commit;
const isKept = (action: Action): action is Kept => action.kind === "file" || action.kind === "commit";

/** The row of an action as passed to SQL. */
interface Row {
  event_id: string;
  position: number;
  kind: Kept["kind"];
  timestamp: Date;
  path: string | null;
  place: string | null;
  sha: string | null;
  added: number | null;
  removed: number | null;
  data: object;
}

/**
 * Raw SQL, like all statements here: rows are passed as a single list. Locks the row of a session, so that only one
 * process at a time writes the session's actions, and no process deletes the session meanwhile.
 */
const LOCK = `select session_id from recorded_session where organization_id = $1 and session_id = $2 for no key update`;

/** Deletes actions of events in a range, because events in the range may have been changed, moved or deleted. */
const CLEAR = `delete from recorded_action where organization_id = $1 and session_id = $2
  and ((timestamp, event_id) > ($3::timestamptz, $4::uuid)
      and ($5::timestamptz is null or (timestamp, event_id) <= ($5::timestamptz, $6::uuid))
    or event_id = any($7::uuid[]))`;

const INSERT = `insert into recorded_action (organization_id, session_id, event_id, position, kind, timestamp, path, place, sha, added, removed, data)
  select $1::uuid, $2::uuid, n.event_id, n.position, n.kind, n.timestamp, n.path, n.place, n.sha, n.added, n.removed, n.data
  from jsonb_to_recordset($3::jsonb) n (event_id uuid, position integer, kind text, timestamp timestamptz, path text, place text, sha text,
    added integer, removed integer, data jsonb)`;

/** Deletes the actions of a session's oldest events if the session has too many. */
const TRIM = `delete from recorded_action where organization_id = $1 and session_id = $2
  and (timestamp, event_id) <= (select timestamp, event_id from recorded_action
    where organization_id = $1 and session_id = $2
    order by timestamp desc, event_id desc, position desc offset ${MOST} limit 1)`;

/** Writes the actions of events, replacing earlier derived actions. */
export const writeActions: EventBatchReader = async (db, { session, after, until, events }) => {
  const { organizationId, id, source, cwd } = session;
  const rows = events.flatMap((event) =>
    readActions({ ...event, agent: source, cwd })
      .filter(isKept)
      .map((action, position) => rowOf(event, action, position, cwd)),
  );
  const ids = events.map((event) => event.id);
  const range = [after.timestamp, after.id, until?.timestamp ?? null, until?.id ?? null];
  const clear = { name: "clear-actions", text: CLEAR, values: [organizationId, id, ...range, ids] };
  if (rows.length === 0) {
    // Most events have no action to store. One statement is then enough, and is cheaper than a transaction with five
    // statements.
    await db.query(clear);
    return;
  }
  await db.transaction(async (trx) => {
    const there = await trx.query({ text: LOCK, values: [organizationId, id] });
    if (there.length === 0) return;
    await trx.query(clear);
    await trx.query({ text: INSERT, values: [organizationId, id, JSON.stringify(rows)] });
    await trx.query({ text: TRIM, values: [organizationId, id] });
  });
};

function rowOf(event: { id: string; timestamp: Date }, action: Kept, position: number, cwd: string | null): Row {
  const { kind, ...rest } = withoutNul(action);
  const path = kind === "file" ? whole((rest as { path: string }).path, cwd) : null;
  const { added = null, removed = null, sha = null } = rest as { added?: number; removed?: number; sha?: string };
  const row = { event_id: event.id, position, kind, timestamp: event.timestamp, added, removed, sha, data: rest };
  return { ...row, path, place: path === null ? null : reversePath(path) };
}

/** Removes NUL characters and replaces unpaired surrogates in all strings, because jsonb accepts neither. */
const withoutNul = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === "string" ? sound(each) : each)));

const sound = (text: string): string =>
  text
    .replaceAll("\u0000", "")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

/** Replaces backslashes in a path with slashes, and resolves `.`, `..` and empty segments. */
const normalized = (path: string): string => posix.normalize(path.replaceAll("\\", "/")).slice(0, 1_000);

/** Resolves a relative path against the folder of the session. If the folder is unknown, the path stays relative. */
const whole = (path: string, folder: string | null): string =>
  folder === null || /^(?:[/\\~]|[A-Za-z]:)/.test(path) ? normalized(path) : normalized(`${folder}/${path}`);

/** Returns the segments of a path in reverse order. An index on the reversed path finds a file in any folder. */
export const reversePath = (path: string): string =>
  `${normalized(path).split("/").filter(Boolean).reverse().join("/").slice(0, 600)}/`;

/**
 * Maximum number of sessions that one call of `catchUpActions` reads, and of events that the call reads per session.
 */
const SESSIONS = 50;
const EVENTS = 2_000;

/**
 * Raw SQL. Finds the sessions among $2 that have unread events, and the time of each session's first unread event.
 * Events whose deltas are not rolled up also count as unread.
 */
const UNREAD = `select * from (
    select s.session_id as id, s.source, s.metadata ->> 'cwd' as cwd,
      least(nullif(s.unread_from, 'infinity'), (select min(d.began_at) from recorded_delta d
        where d.organization_id = $1 and d.session_id = s.session_id))::text as "from"
    from recorded_session s where s.organization_id = $1 and s.session_id = any($2::uuid[])) n
  where "from" is not null order by id limit ${SESSIONS + 1}`;

/**
 * Derives the actions of events that no job has read yet, for the given sessions, so that a client that records and
 * then reads sees its own actions. Call `catchUp` of the projector first, which builds events from hooks and telemetry.
 * Returns false if more events remain than one request may read; a job reads the remaining events within a minute.
 */
export async function catchUpActions(
  db: Database,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<boolean> {
  const found = await db.query<SessionToRead & { from: string }>({
    text: UNREAD,
    values: [organizationId, [...sessionIds]],
  });
  let isComplete = found.length <= SESSIONS;
  for (const { from, ...session } of found.slice(0, SESSIONS))
    isComplete =
      (await readEventsInBatches(db, { ...session, organizationId }, from, [writeActions], EVENTS)) && isComplete;
  return isComplete;
}

/** Raw SQL. Finds sessions with unread events of the last minutes, newest first. */
const RECENT = `select session_id as id from (
    (select session_id, began_at as at from recorded_delta where organization_id = $1 limit 1000)
    union all (select session_id, unread_from from recorded_session where organization_id = $1 and unread_from is not null
      order by unread_from desc, session_id desc limit ${2 * SESSIONS})) n
  where at > now() - interval '5 minutes' and at < 'infinity' group by 1 order by max(at) desc limit ${SESSIONS}`;

/** Derives the actions of recently active sessions of an organization. Call before reading lists of actions. */
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
