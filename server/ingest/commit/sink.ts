import type { Scanner } from "../../scans/index.ts";
import type { SessionRow } from "../rules/session.ts";
import type { EncodedEvent } from "../tuple/index.ts";

/** An ingest key, or a token of OAuth that may record, that was found: what it may write to, and the form in which it is stored. */
export interface IngestKey {
  hash: Buffer;
  /** The hash in hex. */
  id: string;
  organizationId: string;
  /** Set for a token of OAuth. */
  oauth?: true;
}

/** The rows that one request asks to store. They are checked. */
export interface Submission {
  key: IngestKey;
  /** By what its rows were redacted. */
  scanner: Scanner;
  session: SessionRow | null;
  events: readonly EncodedEvent[];
  /** The size of the body it came in. */
  bytes: number;
}

/**
 * `stored` also stands for a repeat of the same content; `conflict` for other content under a known id; `deleted` for a row
 * of a session or user that was deleted.
 */
export type Verdict = "stored" | "conflict" | "deleted" | { refused: string };

/** The result of a submission, once it is durable. A deleted key stores nothing. */
export type Outcome = { key: "deleted" } | { key: "valid"; session: Verdict; events: Verdict[] };

/** The seam behind which the rows are stored; another engine can stand here. */
export interface Sink {
  /** Commits of one call that may run beside each other. */
  readonly parallelCommits: number;
  /**
   * Makes the submissions durable and returns what became of each, in order; an error stands for one of which nothing
   * was kept.
   * @throws Unavailable when nothing was kept of any and another try makes sense
   */
  commit(submissions: readonly Submission[]): Promise<(Outcome | Error)[]>;
}
