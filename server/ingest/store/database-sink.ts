import type { ClientBase } from "pg";
import type { ConnectionRequest, Database } from "../../../db/open.ts";
import { createCache } from "../../cache.ts";
import type { Sink, Submission, SubmissionOutcome } from "../commit/sink.ts";
import { isDeletedSessionError } from "../tombstones.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import { withStoreConnection } from "./connection.ts";
import { isEventsOnly, storeEventsByCopy } from "./copy-transaction.ts";
import { insertEvents } from "./events.ts";
import { storeSubmissionsByInsert } from "./insert-transaction.ts";
import type { RowToStore } from "./load.ts";
import {
  isCopyUnsupportedError,
  isDeletedKeyError,
  isRepeatedIdError,
  isRowError,
  rowErrorReason,
} from "./sqlstate.ts";

interface Store {
  db: Database;
  repeats: RecentRepeats;
  mayCopy: boolean;
}

type Fates = (SubmissionOutcome | Error)[];

/** Returns the sink that stores rows in PostgreSQL or in the embedded engine. */
export function databaseSink(db: Database): Sink {
  const isPostgres = db.engine === "postgresql";
  const store: Store = { db, repeats: recentRepeats(), mayCopy: isPostgres };
  return {
    parallelCommits: isPostgres ? 2 : 1,
    // Groups submissions by database node, so that a node that does not respond delays only the commits of the
    // organizations on that node.
    groupOf: ({ key }) => String(db.nodeOf(key.organizationId) ?? ""),
    commit: (submissions) => commit(store, submissions),
  };
}

async function commit(store: Store, submissions: readonly Submission[]): Promise<Fates> {
  if (store.mayCopy && isWorthParting(submissions)) {
    return inParts(store, submissions, [
      submissions.filter(hasSession),
      submissions.filter((each) => !hasSession(each)),
    ]);
  }
  try {
    return await withStoreConnection(store.db, turnOf(submissions), (client) => storeRows(store, client, submissions));
  } catch (error) {
    if (!isRowError(error)) throw error;
    const [only] = submissions;
    if (submissions.length === 1 && only) return storeAlone(store, only, error);
    // Halves the submissions until the submission that caused the refusal is alone. The other submissions are stored.
    const middle = Math.ceil(submissions.length / 2);
    return inParts(store, submissions, [submissions.slice(0, middle), submissions.slice(middle)]);
  }
}

/**
 * Returns how a commit waits for a database connection. If all submissions belong to one organization, the commit
 * counts as work of that organization. A commit for several organizations, which are all on one node, counts as work of
 * no organization.
 */
function turnOf([first, ...others]: readonly Submission[]): ConnectionRequest {
  const beside = first?.key.organizationId;
  const isOfOne = others.every(({ key }) => key.organizationId === beside);
  return { queueClass: "short", tenant: isOfOne ? beside : undefined, beside };
}

const hasSession = ({ session }: Submission): boolean => session !== null;

/**
 * A commit with sessions cannot use COPY. From this number of events on, a separate commit for the events is cheaper.
 */
const MANY_EVENTS = 200;
const isWorthParting = (submissions: readonly Submission[]): boolean =>
  submissions.some(hasSession) && submissions.reduce((sum, { events }) => sum + events.length, 0) >= MANY_EVENTS;

/**
 * Stores rows by COPY, unless an organization recently repeated ids. In that case, or if COPY fails, stores by
 * INSERT.
 */
async function storeRows(
  store: Store,
  client: ClientBase,
  submissions: readonly Submission[],
): Promise<SubmissionOutcome[]> {
  const { repeats } = store;
  if (store.mayCopy && isEventsOnly(submissions) && !repeats.among(submissions)) {
    try {
      return await storeEventsByCopy(client, submissions);
    } catch (error) {
      if (isCopyUnsupportedError(error)) store.mayCopy = false;
      else if (isRepeatedIdError(error)) repeats.note(submissions, error);
      else if (isDeletedSessionError(error)) repeats.note(submissions);
      else if (!isDeletedKeyError(error)) throw error;
    }
  }
  return storeSubmissionsByInsert(client, submissions, async (to, events) => {
    const inserted = await insertEvents(to, events);
    if (inserted.repeats) repeats.note(submissions);
  });
}

/** Commits each part of the submissions separately, in order. A failed commit does not affect the other parts. */
async function inParts(store: Store, submissions: readonly Submission[], parts: Submission[][]): Promise<Fates> {
  const fates = new Map<Submission, SubmissionOutcome | Error>();
  for (const part of parts) {
    const outcomes = await commit(store, part).catch((error: Error) => part.map(() => error));
    for (const [index, submission] of part.entries()) {
      fates.set(submission, outcomes[index] ?? new Error("a commit reported nothing of a submission"));
    }
  }
  return submissions.flatMap((submission) => fates.get(submission) ?? []);
}

/**
 * Stores a submission alone, because the submission's session or some of the submission's events made the commit fail.
 * A submission with a session is rejected; a submission without a session is stored without the failing events.
 */
const storeAlone = (store: Store, submission: Submission, error: unknown): Promise<SubmissionOutcome[]> =>
  submission.session
    ? Promise.resolve([{ key: "valid", session: { refused: rowErrorReason(error) }, events: [] }])
    : withStoreConnection(store.db, turnOf([submission]), (client) =>
        storeSubmissionsByInsert(client, [submission], storeByHalves),
      );

/**
 * Organizations that recently sent an id again that was already stored, or sent events of a deleted session. For these
 * organizations, a query before storing is cheaper than a failed COPY.
 */
interface RecentRepeats {
  among(submissions: readonly Submission[]): boolean;
  /**
   * Remembers the organizations that `error` names; if it names none, remembers the organizations of all submissions.
   */
  note(submissions: readonly Submission[], error?: unknown): void;
}

const STAY_MS = 30_000;

/** Creates an empty memory of repeats. */
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
 * Stores the rows that the database accepts, after the database rejected the whole list. Halves the list, with a
 * savepoint for each half, until the rejected rows are alone. Ten savepoints find one bad row among 500.
 */
async function storeByHalves(client: ClientBase, events: readonly RowToStore<EncodedEvent>[]): Promise<void> {
  await client.query("savepoint part");
  try {
    await insertEvents(client, events);
    await client.query("release savepoint part");
  } catch (error) {
    if (!isRowError(error)) throw error;
    await client.query("rollback to savepoint part; release savepoint part");
    for (const event of events) event.isNew = false;
    const [only] = events;
    if (events.length === 1 && only) {
      only.verdict = { refused: rowErrorReason(error) };
      return;
    }
    const middle = Math.ceil(events.length / 2);
    await storeByHalves(client, events.slice(0, middle));
    await storeByHalves(client, events.slice(middle));
  }
}
