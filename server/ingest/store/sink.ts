import type { ClientBase, PoolClient } from "pg";
import type { Database } from "../../../db/open.ts";
import { withRetries } from "../../../db/trouble.ts";
import { Unavailable } from "../../../db/unavailable.ts";
import type { Outcome, Sink, Submission } from "../sink.ts";
import { copyEvents, insertEvents } from "./events.ts";
import { repeaters } from "./repeaters.ts";
import { salvageEvents } from "./salvage.ts";
import { storeAll } from "./transaction.ts";
import { isRefusal, isRepeat, isUnsupported, refusal } from "./trouble.ts";

/** After this the connection is cut: whatever the network swallowed, the callers get their answer. */
const DEADLINE_MS = 12_000;

/** The rows in PostgreSQL, or in the embedded engine. */
export function databaseSink(db: Database): Sink {
  const recent = repeaters();
  let mayCopy = db.engine === "postgresql";

  /** Straight into the table, unless an organization in it repeats itself; then, or if that fails, the careful way. */
  const storeFast = async (client: ClientBase, submissions: readonly Submission[]): Promise<Outcome[]> => {
    const bytes = submissions.reduce((sum, submission) => sum + submission.bytes, 0);
    if (mayCopy && !recent.among(submissions)) {
      try {
        return await storeAll(client, submissions, (to, events) => copyEvents(to, events, bytes));
      } catch (error) {
        if (isUnsupported(error)) mayCopy = false;
        else if (isRepeat(error)) recent.note(submissions, error);
        else throw error;
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
    try {
      return await inTransaction((client) => storeFast(client, submissions));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [only] = submissions;
      return submissions.length === 1 && only ? alone(only, error) : halves(submissions);
    }
  };

  /** Finds the submission to blame; its neighbours are stored without it. */
  const halves = async (submissions: readonly Submission[]) => {
    const middle = Math.ceil(submissions.length / 2);
    const done: (Outcome | Error)[] = [];
    for (const half of [submissions.slice(0, middle), submissions.slice(middle)]) {
      done.push(...(await commit(half).catch((error: Error) => half.map(() => error))));
    }
    return done;
  };

  /** A submission that was refused by itself: its session is to blame, or some of its events. */
  const alone = (submission: Submission, error: unknown): Promise<Outcome[]> =>
    submission.session
      ? Promise.resolve([{ key: "valid", session: { refused: refusal(error) }, events: [] }])
      : inTransaction((client) => storeAll(client, [submission], salvageEvents));

  return { lanes: db.engine === "postgresql" ? 2 : 1, commit };
}

/** On PostgreSQL cuts a connection that does not end its work; the embedded engine has its own deadline. */
async function withDeadline<T>(db: Database, client: PoolClient, work: () => Promise<T>): Promise<T> {
  if (db.engine === "embedded") return work();
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  const timer = setTimeout(() => stream.destroy(), DEADLINE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
