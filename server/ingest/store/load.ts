import type { Scanner } from "../../scans/index.ts";
import type { Outcome, Submission, Verdict } from "../commit/sink.ts";
import type { SessionRow } from "../rules/session.ts";
import type { EncodedEvent } from "../tuple/index.ts";

/** A row on its way into a table, and what becomes of it. */
export interface Placed<Row> {
  organization_id: string;
  scanner: Scanner;
  row: Row;
  verdict: Verdict;
  /** An event that this commit made, and not one before. */
  isNew?: boolean;
}

/** The rows of one commit. */
export interface Load {
  sessions: Placed<SessionRow>[];
  events: Placed<EncodedEvent>[];
  /** The result of each submission, in order; read after the commit. */
  outcomes(): Outcome[];
}

/** Lays out the rows of submissions in the order of their arrival. `isLive`: whether the key of a submission exists. */
export function load(submissions: readonly Submission[], isLive: (submission: Submission) => boolean): Load {
  const sessions: Placed<SessionRow>[] = [];
  const events: Placed<EncodedEvent>[] = [];
  const readers = submissions.map((submission) => {
    if (!isLive(submission)) return (): Outcome => ({ key: "deleted" });
    const session = submission.session && place(submission, submission.session);
    if (session) sessions.push(session);
    const from = events.length;
    for (const row of submission.events) events.push(place(submission, row));
    const to = events.length;
    return (): Outcome => ({
      key: "valid",
      session: session?.verdict ?? "stored",
      events: events.slice(from, to).map(({ verdict }) => verdict),
    });
  });
  return { sessions, events, outcomes: () => readers.map((read) => read()) };
}

const place = <Row>({ key, scanner }: Submission, row: Row): Placed<Row> => ({
  organization_id: key.organizationId,
  scanner,
  row,
  verdict: "stored",
});

/** Orders keys as every commit does, so that two with the same keys wait for each other instead of deadlocking. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
