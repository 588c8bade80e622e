import { createGroupCommit, type Waiting } from "../../../concurrency/group-commit.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Outcome, Sink, Submission } from "./sink.ts";

/** Resolves once a submission is durable. @throws Unavailable when the queue is full, the wait too long or the database down */
export type Commit = (submission: Submission) => Promise<Outcome>;

/** Bounds of the queue before the commits. */
export interface QueueLimits {
  maxWaiting: number;
  maxWaitMs: number;
}

const MOST = { rows: 2_000, bytes: 8 * 1024 * 1024 };
const REFUSALS = { full: "Too many requests are waiting", late: "The database did not take the rows in time" };

/** Gathers the submissions of all keys into commits of a sink. Keys take turns. */
export function groupCommit(sink: Sink, limits: QueueLimits): Commit {
  const submit = createGroupCommit<Submission, Outcome>({
    ...limits,
    most: MOST,
    parallel: sink.parallelCommits,
    refusal: (reason) => new Unavailable(REFUSALS[reason]),
    commit: (load) => commit(sink, load),
  });
  return (submission) => {
    const { key, session, events, bytes } = submission;
    return submit("", submission, { key: key.id, rows: events.length + (session ? 1 : 0), bytes });
  };
}

async function commit(sink: Sink, load: readonly Waiting<Submission, Outcome>[]): Promise<void> {
  const outcomes = await sink.commit(load.map(({ item }) => item));
  for (const [index, { resolve, reject }] of load.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined || outcome instanceof Error) reject(outcome);
    else resolve(outcome);
  }
}
