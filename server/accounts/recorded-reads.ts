import { createHash } from "node:crypto";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { HOUR_MS } from "../../formats/time.ts";
import type { Principal } from "../auth/principal.ts";
import { weakMemoize } from "../cache.ts";
import type { Runtime } from "../runtime.ts";
import { type StoredEntry, writeEntries } from "./audit.ts";

/** A read of recordings: one session, the session of an event, or a list by the name of its field. */
export interface RecordedRead {
  /** Set for an export of a person: whose it was is not noted, since that person may be deleted. */
  exported?: true;
  sessionId?: string;
  eventId?: string;
  list?: string;
}

/** A read that waits to be written. */
interface Noted extends RecordedRead {
  organizationId: string;
  userId: string;
  /** The beginning of the hour, epoch ms. */
  hour: number;
}

/** The interval at which reads are written, in ms, and the number that waits at most. */
const FLUSH_MS = 5_000;
const MOST_NOTED = 10_000;

interface Waiting {
  reads: Map<string, Noted>;
  timer: NodeJS.Timeout | undefined;
}

const waitingOf = weakMemoize((_: Database): Waiting => ({ reads: new Map(), timer: undefined }));

/**
 * Remembers that somebody read recordings. Agents read all the time: of them exports alone are noted. Cheap: reads are
 * written together, one entry for each person, session and hour.
 */
export function noteRead({ db, log }: Runtime, principal: Principal, read: RecordedRead): void {
  const { organizationId, userId, app } = principal;
  if (!organizationId || !userId || (app && !read.exported)) return;
  const waiting = waitingOf(db);
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const noted = { organizationId, userId, hour, ...read };
  if (waiting.reads.size < MOST_NOTED) waiting.reads.set(JSON.stringify(noted), noted);
  else log.warn({ organizationId }, "a read of recordings is not in the audit log: too many wait");
  waiting.timer ??= setTimeout(() => {
    flushReads(db).catch((error) => log.warn({ err: error }, "reads of recordings not written; they are kept"));
  }, FLUSH_MS).unref();
}

/** Writes the noted reads. Called by the timer, and once at shutdown before the database closes. */
export async function flushReads(db: Database): Promise<void> {
  const waiting = waitingOf(db);
  clearTimeout(waiting.timer);
  waiting.timer = undefined;
  const { reads } = waiting;
  if (reads.size === 0) return;
  waiting.reads = new Map();
  try {
    const organizations = new Set([...reads.values()].map(({ organizationId }) => organizationId));
    for (const id of organizations)
      await writeReads(
        db,
        id,
        [...reads.values()].filter(({ organizationId }) => organizationId === id),
      );
  } catch (error) {
    for (const [key, read] of reads) if (waiting.reads.size < MOST_NOTED) waiting.reads.set(key, read);
    throw error;
  }
}

async function writeReads(db: Database, organizationId: string, reads: readonly Noted[]): Promise<void> {
  const entries = (await withSessions(db, organizationId, reads)).map(entryOf);
  const each = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  await db.transaction((trx) => writeEntries(trx, organizationId, each));
}

/** Names the sessions of events. One that is deleted meanwhile stays named by its event. */
async function withSessions(db: Database, organization_id: string, reads: readonly Noted[]): Promise<Noted[]> {
  const ids = reads.flatMap(({ eventId }) => eventId ?? []);
  if (ids.length === 0) return [...reads];
  const found = knex("recorded_event").where({ organization_id }).whereRaw("event_id = any(?::uuid[])", [ids]);
  const rows = await db.query<{ event_id: string; session_id: string }>(
    toStatement(found.select("event_id", "session_id")),
  );
  const sessions = new Map(rows.map(({ event_id, session_id }) => [event_id, session_id]));
  return reads.map((read) => {
    const { eventId, ...rest } = read;
    const sessionId = eventId && sessions.get(eventId);
    return sessionId ? { ...rest, sessionId } : read;
  });
}

/** The id follows from the person, what was read, and the hour: the same read is one entry on any number of servers. */
function entryOf({ organizationId, userId, hour, exported, ...read }: Noted): StoredEntry {
  const event = exported ? "recordedUser.exported" : "recording.read";
  const seed = JSON.stringify([organizationId, userId, hour, event, read]);
  const digest = createHash("sha256").update(seed).digest("hex");
  const hex = `${hour.toString(16).padStart(12, "0")}7${digest.slice(0, 3)}8${digest.slice(3, 18)}`;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { id, accountId: userId, event, detail: JSON.stringify(read), createdAt: new Date(hour) };
}
