import { posix } from "node:path";
import { knex, toStatement } from "../../../../db/builder.ts";
import type { Database } from "../../../../db/open.ts";
import type { EventReader } from "../unread/read-events.ts";
import type { Action } from "./action.ts";
import { actionsOf } from "./read.ts";

/** Actions that are kept of a session: the latest of more. */
const MOST = 5_000;

/** The row of an action, as SQL takes it. */
interface Row {
  event_id: string;
  position: number;
  kind: Action["kind"];
  timestamp: Date;
  path: string | null;
  place: string | null;
  sha: string | null;
  added: number | null;
  removed: number | null;
  data: object;
}

/** Raw SQL, as all of this: rows travel as one list. The lock orders writers of one session, and keeps its deletion away. */
const LOCK = `select session_id from recorded_session where organization_id = $1 and session_id = $2 for no key update`;

/** Events between two places may have been rewritten, moved or removed. */
const CLEAR = `delete from recorded_action where organization_id = $1 and session_id = $2
  and ((timestamp, event_id) > ($3::timestamptz, $4::uuid)
      and ($5::timestamptz is null or (timestamp, event_id) <= ($5::timestamptz, $6::uuid))
    or event_id = any($7::uuid[]))`;

const INSERT = `insert into recorded_action (organization_id, session_id, event_id, position, kind, timestamp, path, place, sha, added, removed, data)
  select $1::uuid, $2::uuid, n.event_id, n.position, n.kind, n.timestamp, n.path, n.place, n.sha, n.added, n.removed, n.data
  from jsonb_to_recordset($3::jsonb) n (event_id uuid, position integer, kind text, timestamp timestamptz, path text, place text, sha text,
    added integer, removed integer, data jsonb)`;

/** Drops the actions of the oldest events of a session that has too many. */
const TRIM = `delete from recorded_action where organization_id = $1 and session_id = $2
  and (timestamp, event_id) <= (select timestamp, event_id from recorded_action
    where organization_id = $1 and session_id = $2
    order by timestamp desc, event_id desc, position desc offset ${MOST} limit 1)`;

/** Writes the actions of events in place of those that were derived of them before. */
export const writeActions: EventReader = async (db, { session, after, until, events }) => {
  const { organizationId, id, source, cwd } = session;
  const rows = events.flatMap((event) =>
    actionsOf({ ...event, agent: source, cwd }).map((action, position) => rowOf(event, action, position, cwd)),
  );
  await db.transaction(async (trx) => {
    const there = await trx.query({ text: LOCK, values: [organizationId, id] });
    if (there.length === 0) return;
    const ids = events.map((event) => event.id);
    const range = [after.timestamp, after.id, until?.timestamp ?? null, until?.id ?? null];
    await trx.query({ text: CLEAR, values: [organizationId, id, ...range, ids] });
    if (rows.length === 0) return;
    await trx.query({ text: INSERT, values: [organizationId, id, JSON.stringify(rows)] });
    await trx.query({ text: TRIM, values: [organizationId, id] });
  });
};

function rowOf(event: { id: string; timestamp: Date }, action: Action, position: number, cwd: string | null): Row {
  const { kind, ...rest } = withoutNul(action);
  const path = kind === "file" ? whole((rest as { path: string }).path, cwd) : null;
  const { added = null, removed = null, sha = null } = rest as { added?: number; removed?: number; sha?: string };
  const row = { event_id: event.id, position, kind, timestamp: event.timestamp, added, removed, sha, data: rest };
  return { ...row, path, place: path === null ? null : placeOf(path) };
}

/** jsonb takes neither a NUL nor half of a surrogate pair. */
const withoutNul = <T extends object>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === "string" ? sound(each) : each)));

const sound = (text: string): string =>
  text
    .replaceAll("\u0000", "")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

/** A path with slashes alone, and without `.`, `..` and empty segments. */
export const normalized = (path: string): string => posix.normalize(path.replaceAll("\\", "/")).slice(0, 1_000);

/** A path below the folder of its session, where it is relative to that. */
const whole = (path: string, folder: string | null): string =>
  folder === null || /^(?:[/\\~]|[A-Za-z]:)/.test(path) ? normalized(path) : normalized(`${folder}/${path}`);

/** The segments of a path from its end, by which an index finds a file whatever folder it is in. */
export const placeOf = (path: string): string =>
  `${normalized(path).split("/").filter(Boolean).reverse().join("/").slice(0, 600)}/`;

/** An action with the event that it was read from. */
export type RecordedAction = Action & { sessionId: string; eventId: string; timestamp: Date };

/** Actions that one call loads of all its sessions. */
const LOADED = 20_000;

/**
 * The actions of sessions in order of time, of some kinds or all. The last 20,000 at the most, so that what was done
 * last is never missing. Call `catchUpActions` before, for what was recorded a moment ago.
 */
export async function loadActions(
  db: Pick<Database, "query">,
  organizationId: string,
  sessionIds: readonly string[],
  kinds?: readonly Action["kind"][],
): Promise<RecordedAction[]> {
  const found = knex("recorded_action")
    .where({ organization_id: organizationId })
    .whereRaw("session_id = any(?::uuid[])", [[...sessionIds]])
    .orderBy(["timestamp", "event_id", "position"].map((column) => ({ column, order: "desc" })))
    .limit(LOADED)
    .select({ sessionId: "session_id", eventId: "event_id", timestamp: "timestamp", kind: "kind", data: "data" });
  if (kinds) found.whereRaw("kind = any(?::text[])", [[...kinds]]);
  const rows = await db.query<{ sessionId: string; eventId: string; timestamp: Date; kind: string; data: object }>(
    toStatement(found),
  );
  return rows.reverse().map(({ data, ...row }) => ({ ...data, ...row }) as unknown as RecordedAction);
}
