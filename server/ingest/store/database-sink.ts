import type { ClientBase } from "pg";
import type { Database, Turn } from "../../../db/open.ts";
import { createCache } from "../../cache.ts";
import type { Outcome, Sink, Submission } from "../commit/sink.ts";
import { isDeleted } from "../tombstones.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import { inConnection } from "./connection.ts";
import { isEventsOnly, storeByCopy } from "./copy-transaction.ts";
import { insertEvents } from "./events.ts";
import { storeByInsert } from "./insert-transaction.ts";
import type { Placed } from "./load.ts";
import { isKeyGone, isRefusal, isRepeat, isUnsupported, refusal } from "./sqlstate.ts";

interface Store {
  db: Database;
  repeats: RecentRepeats;
  mayCopy: boolean;
}

type Fates = (Outcome | Error)[];

/** The rows in PostgreSQL, or in the embedded engine. */
export function databaseSink(db: Database): Sink {
  const isPostgres = db.engine === "postgresql";
  const store: Store = { db, repeats: recentRepeats(), mayCopy: isPostgres };
  return { parallelCommits: isPostgres ? 2 : 1, commit: (submissions) => commit(store, submissions) };
}

async function commit(store: Store, submissions: readonly Submission[]): Promise<Fates> {
  if (store.mayCopy && isWorthParting(submissions)) {
    return inParts(store, submissions, [
      submissions.filter(hasSession),
      submissions.filter((each) => !hasSession(each)),
    ]);
  }
  try {
    return await inConnection(store.db, turnOf(submissions), (client) => storeRows(store, client, submissions));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const [only] = submissions;
    if (submissions.length === 1 && only) return storeAlone(store, only, error);
    // Finds the submission to blame; its neighbours are stored without it.
    const middle = Math.ceil(submissions.length / 2);
    return inParts(store, submissions, [submissions.slice(0, middle), submissions.slice(middle)]);
  }
}

/** A commit waits as that of the organization of all its submissions; as that of none where they are of several. */
function turnOf([first, ...others]: readonly Submission[]): Turn {
  const tenant = first?.key.organizationId;
  return { queueClass: "short", tenant: others.every(({ key }) => key.organizationId === tenant) ? tenant : undefined };
}

const hasSession = ({ session }: Submission): boolean => session !== null;

/** A commit that holds sessions cannot copy; from so many events on, a commit of their own saves more than it costs. */
const MANY_EVENTS = 200;
const isWorthParting = (submissions: readonly Submission[]): boolean =>
  submissions.some(hasSession) && submissions.reduce((sum, { events }) => sum + events.length, 0) >= MANY_EVENTS;

/** By COPY, unless an organization in the load repeats itself; then, or if that fails, by INSERT. */
async function storeRows(store: Store, client: ClientBase, submissions: readonly Submission[]): Promise<Outcome[]> {
  const { repeats } = store;
  if (store.mayCopy && isEventsOnly(submissions) && !repeats.among(submissions)) {
    try {
      return await storeByCopy(client, submissions);
    } catch (error) {
      if (isUnsupported(error)) store.mayCopy = false;
      else if (isRepeat(error)) repeats.note(submissions, error);
      else if (isDeleted(error)) repeats.note(submissions);
      else if (!isKeyGone(error)) throw error;
    }
  }
  return storeByInsert(client, submissions, async (to, events) => {
    const inserted = await insertEvents(to, events);
    if (inserted.repeats) repeats.note(submissions);
  });
}

/** One commit after the other; when one fails, the rest still has its chance. */
async function inParts(store: Store, submissions: readonly Submission[], parts: Submission[][]): Promise<Fates> {
  const fates = new Map<Submission, Outcome | Error>();
  for (const part of parts) {
    const outcomes = await commit(store, part).catch((error: Error) => part.map(() => error));
    for (const [index, submission] of part.entries()) {
      fates.set(submission, outcomes[index] ?? new Error("a commit reported nothing of a submission"));
    }
  }
  return submissions.flatMap((submission) => fates.get(submission) ?? []);
}

/** A submission that was refused by itself: its session is to blame, or some of its events. */
const storeAlone = (store: Store, submission: Submission, error: unknown): Promise<Outcome[]> =>
  submission.session
    ? Promise.resolve([{ key: "valid", session: { refused: refusal(error) }, events: [] }])
    : inConnection(store.db, turnOf([submission]), (client) => storeByInsert(client, [submission], storeByHalves));

/** Organizations that sent an id again a while ago, or to a deleted session: looking before storing is cheaper than failing. */
interface RecentRepeats {
  among(submissions: readonly Submission[]): boolean;
  /** Remembers whom `error` names, or all of them. */
  note(submissions: readonly Submission[], error?: unknown): void;
}

const STAY_MS = 30_000;

/** Remembers nobody yet. */
function recentRepeats(): RecentRepeats {
  const noted = createCache<true>({ name: "ingest-repeats", sizeOf: () => 1, ttl: STAY_MS });
  return {
    among(submissions) {
      return noted.size > 0 && submissions.some(({ key }) => noted.has(key.organizationId));
    },
    note(submissions, error) {
      const all = submissions.map(({ key }) => key.organizationId);
      // The detail of SQLSTATE 23505 lists the key: Key (organization_id, event_id)=(…, …) already exists.
      const detail = error instanceof Error && "detail" in error ? String(error.detail) : "";
      const named = all.filter((organization) => detail.includes(`(${organization},`));
      for (const organization of named.length > 0 ? named : all) noted.set(organization, true);
    },
  };
}

/**
 * Stores what the database takes of a load it refused: halves, each under a savepoint, down to the rows to blame.
 * Ten savepoints find one bad row among 500.
 */
async function storeByHalves(client: ClientBase, events: readonly Placed<EncodedEvent>[]): Promise<void> {
  await client.query("savepoint part");
  try {
    await insertEvents(client, events);
    await client.query("release savepoint part");
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await client.query("rollback to savepoint part; release savepoint part");
    for (const event of events) event.isNew = false;
    const [only] = events;
    if (events.length === 1 && only) {
      only.verdict = { refused: refusal(error) };
      return;
    }
    const middle = Math.ceil(events.length / 2);
    await storeByHalves(client, events.slice(0, middle));
    await storeByHalves(client, events.slice(middle));
  }
}
