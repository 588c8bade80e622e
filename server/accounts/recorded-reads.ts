import { createHash } from "node:crypto";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { HOUR_MS } from "../../formats/time.ts";
import type { Principal } from "../auth/principal.ts";
import { weakMemoize } from "../cache.ts";
import type { Runtime } from "../runtime.ts";
import { insertAuditEntries, type StoredAuditEntry } from "./audit.ts";

/**
 * The recordings that a user read: one session, the session of an event, or a list. `list` is the name of the list's
 * field.
 */
export interface RecordedRead {
  /** Set for an export of a recorded user. The entry does not contain the user, because the user may be deleted. */
  exported?: true;
  sessionId?: string;
  eventId?: string;
  list?: string;
}

/** A read that waits to be written to the audit log. */
interface Noted extends RecordedRead {
  organizationId: string;
  userId: string;
  /** Beginning of the hour, in milliseconds since 1970. */
  hour: number;
}

/** Interval at which reads are written, in ms, and maximum number of waiting reads. */
const FLUSH_MS = 5_000;
const MOST_NOTED = 10_000;

interface Waiting {
  reads: Map<string, Noted>;
  timer: NodeJS.Timeout | undefined;
}

const waitingOf = weakMemoize((_: Database): Waiting => ({ reads: new Map(), timer: undefined }));

/**
 * Adds to the audit log that a user read recordings. For agents, only exports are logged, because agents read
 * constantly. Calls are cheap, because reads are written in batches with one entry per user, session and hour.
 */
export function queueRecordedReadAudit({ db, log }: Runtime, principal: Principal, read: RecordedRead): void {
  const { organizationId, userId, app } = principal;
  if (!organizationId || !userId || (app && !read.exported)) return;
  const waiting = waitingOf(db);
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const noted = { organizationId, userId, hour, ...read };
  if (waiting.reads.size < MOST_NOTED) waiting.reads.set(JSON.stringify(noted), noted);
  else log.warn({ organizationId }, "a read of recordings was not written to the audit log: too many reads wait");
  waiting.timer ??= setTimeout(() => {
    flushRecordedReadAudits(db).catch((error) =>
      log.warn({ err: error }, "reads of recordings were not written to the audit log; the server will retry"),
    );
  }, FLUSH_MS).unref();
}

/**
 * Writes the waiting reads to the audit log. The timer calls this function. The shutdown also calls it, before the
 * database closes.
 */
export async function flushRecordedReadAudits(db: Database): Promise<void> {
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
  await db.transaction((trx) => insertAuditEntries(trx, organizationId, each));
}

/**
 * Replaces the ids of events by the ids of their sessions. An event that was deleted in the meantime keeps its own
 * id.
 */
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

/**
 * Derives the id of an entry from the user, the read data and the hour. Repeated reads within an hour therefore produce
 * only one entry, even on several servers.
 */
function entryOf({ organizationId, userId, hour, exported, ...read }: Noted): StoredAuditEntry {
  const event = exported ? "recordedUser.exported" : "recording.read";
  const seed = JSON.stringify([organizationId, userId, hour, event, read]);
  const digest = createHash("sha256").update(seed).digest("hex");
  const hex = `${hour.toString(16).padStart(12, "0")}7${digest.slice(0, 3)}8${digest.slice(3, 18)}`;
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { id, accountId: userId, event, detail: JSON.stringify(read), createdAt: new Date(hour) };
}
