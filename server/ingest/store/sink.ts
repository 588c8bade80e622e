import type { ClientBase, PoolClient } from "pg";
import { after } from "../../../db/after.ts";
import type { Database } from "../../../db/open.ts";
import { withRetries } from "../../../db/trouble.ts";
import { Unavailable } from "../../../db/unavailable.ts";
import type { Outcome, Sink, Submission } from "../sink.ts";
import { insertEvents } from "./events.ts";
import { isPlain, storeFast } from "./fast.ts";
import { repeaters } from "./repeaters.ts";
import { salvageEvents } from "./salvage.ts";
import { storeAll } from "./transaction.ts";
import { isKeyGone, isRefusal, isRepeat, isUnsupported, refusal } from "./trouble.ts";

/** After this the connection is cut: whatever the network swallowed, the callers get their answer. */
const DEADLINE_MS = 12_000;

/** The rows in PostgreSQL, or in the embedded engine. */
export function databaseSink(db: Database): Sink {
  const recent = repeaters();
  let mayCopy = db.engine === "postgresql";

  /** The fast way, unless an organization in the load repeats itself; then, or if that fails, the careful way. */
  const store = async (client: ClientBase, submissions: readonly Submission[]): Promise<Outcome[]> => {
    if (mayCopy && isPlain(submissions) && !recent.among(submissions)) {
      try {
        return await storeFast(client, submissions);
      } catch (error) {
        if (isUnsupported(error)) mayCopy = false;
        else if (isRepeat(error)) recent.note(submissions, error);
        else if (!isKeyGone(error)) throw error;
      }
    }
    return storeAll(client, submissions, async (to, events) => {
      const { repeats } = await insertEvents(to, events);
      if (repeats) recent.note(submissions);
    });
  };

  const inTransaction = async (work: (client: ClientBase) => Promise<Outcome[]>) => {
    try {
      return await db.connection((client) => withDeadline(db, client, () => withRetries(() => work(client))));
    } catch (error) {
      if (error instanceof Unavailable || isRefusal(error)) throw error;
      throw new Unavailable("The store does not take rows at the moment", 1, { cause: error });
    }
  };

  const commit: Sink["commit"] = async (submissions) => {
    if (mayCopy && isWorthParting(submissions)) {
      return inParts(submissions, [submissions.filter(hasSession), submissions.filter((each) => !hasSession(each))]);
    }
    try {
      return await inTransaction((client) => store(client, submissions));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [only] = submissions;
      if (submissions.length === 1 && only) return alone(only, error);
      // Finds the submission to blame; its neighbours are stored without it.
      const middle = Math.ceil(submissions.length / 2);
      return inParts(submissions, [submissions.slice(0, middle), submissions.slice(middle)]);
    }
  };

  /** One commit after the other; when one fails, the rest still has its chance. */
  const inParts = async (submissions: readonly Submission[], parts: Submission[][]) => {
    const fates = new Map<Submission, Outcome | Error>();
    for (const part of parts) {
      const outcomes = await commit(part).catch((error: Error) => part.map(() => error));
      for (const [index, submission] of part.entries()) {
        fates.set(submission, outcomes[index] ?? new Error("a commit told nothing of a submission"));
      }
    }
    return submissions.flatMap((submission) => fates.get(submission) ?? []);
  };

  /** A submission that was refused by itself: its session is to blame, or some of its events. */
  const alone = (submission: Submission, error: unknown): Promise<Outcome[]> =>
    submission.session
      ? Promise.resolve([{ key: "valid", session: { refused: refusal(error) }, events: [] }])
      : inTransaction((client) => storeAll(client, [submission], salvageEvents));

  return { lanes: db.engine === "postgresql" ? 2 : 1, commit };
}

const hasSession = ({ session }: Submission): boolean => session !== null;

/** Sessions need the careful way; from so many events on, a commit of their own spares more than it costs. */
const MANY_EVENTS = 200;
const isWorthParting = (submissions: readonly Submission[]): boolean =>
  submissions.some(hasSession) && submissions.reduce((sum, { events }) => sum + events.length, 0) >= MANY_EVENTS;

/** On PostgreSQL cuts a connection that does not end its work; the embedded engine has its own deadline. */
async function withDeadline<T>(db: Database, client: PoolClient, work: () => Promise<T>): Promise<T> {
  if (db.engine === "embedded") return work();
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  const keep = after(DEADLINE_MS, () => stream.destroy());
  try {
    return await work();
  } finally {
    keep();
  }
}
