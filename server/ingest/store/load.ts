import type { SecretScanner } from "../../scans/index.ts";
import type { RowVerdict, Submission, SubmissionOutcome } from "../commit/sink.ts";
import type { CapturedSessionRow } from "../rules/session.ts";
import type { EncodedEvent } from "../tuple/index.ts";

/** A row to store, and the verdict on the row. */
export interface RowToStore<Row> {
  organization_id: string;
  scanner: SecretScanner;
  row: Row;
  verdict: RowVerdict;
  /** True if this commit inserted the event. */
  isNew?: boolean;
}

export interface CommitRows {
  sessions: RowToStore<CapturedSessionRow>[];
  events: RowToStore<EncodedEvent>[];
  /** Returns the outcome of each submission, in order. Call after the commit. */
  outcomes(): SubmissionOutcome[];
}

/**
 * Collects the rows of submissions in the order of arrival. `isLive` returns true if the key of a submission exists.
 */
export function collectRows(
  submissions: readonly Submission[],
  isLive: (submission: Submission) => boolean,
): CommitRows {
  const sessions: RowToStore<CapturedSessionRow>[] = [];
  const events: RowToStore<EncodedEvent>[] = [];
  const readers = submissions.map((submission) => {
    if (!isLive(submission)) return (): SubmissionOutcome => ({ key: "deleted" });
    const session = submission.session && place(submission, submission.session);
    if (session) sessions.push(session);
    const from = events.length;
    for (const row of submission.events) events.push(place(submission, row));
    const to = events.length;
    return (): SubmissionOutcome => ({
      key: "valid",
      session: session?.verdict ?? "stored",
      events: events.slice(from, to).map(({ verdict }) => verdict),
    });
  });
  return { sessions, events, outcomes: () => readers.map((read) => read()) };
}

const place = <Row>({ key, scanner }: Submission, row: Row): RowToStore<Row> => ({
  organization_id: key.organizationId,
  scanner,
  row,
  verdict: "stored",
});

/**
 * Compares keys. Every commit uses this order, so that commits with the same keys wait for each other instead of
 * deadlocking.
 */
export const compareKeys = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
