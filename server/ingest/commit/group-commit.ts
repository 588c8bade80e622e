import { createGroupCommit, type WaitingItem } from "../../../concurrency/group-commit.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { Sink, Submission, SubmissionOutcome } from "./sink.ts";

/**
 * Submits rows for storage and resolves when the rows are durable. @throws UnavailableError when the queue is full, the wait
 * took too long or the database is down
 */
export type CommitSubmission = (submission: Submission) => Promise<SubmissionOutcome>;

export interface QueueLimits {
  maxWaiting: number;
  maxWaitMs: number;
}

const MOST = { rows: 2_000, bytes: 8 * 1024 * 1024 };
const REFUSALS = {
  full: "Too many requests are waiting; try again",
  late: "The database did not store the data in time; try again",
};

/** Groups the submissions of all ingest keys into commits of a sink. The ingest keys take turns. */
export function createSubmissionCommit(sink: Sink, limits: QueueLimits): CommitSubmission {
  const submit = createGroupCommit<Submission, SubmissionOutcome>({
    ...limits,
    most: MOST,
    parallel: sink.parallelCommits,
    refusal: (reason) => new UnavailableError(REFUSALS[reason]),
    commit: (load) => commit(sink, load),
  });
  return (submission) => {
    const { key, session, events, bytes } = submission;
    return submit(sink.groupOf(submission), submission, {
      key: key.id,
      rows: events.length + (session ? 1 : 0),
      bytes,
    });
  };
}

async function commit(sink: Sink, load: readonly WaitingItem<Submission, SubmissionOutcome>[]): Promise<void> {
  const outcomes = await sink.commit(load.map(({ item }) => item));
  for (const [index, { resolve, reject }] of load.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined || outcome instanceof Error) reject(outcome);
    else resolve(outcome);
  }
}
