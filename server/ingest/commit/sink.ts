import type { Scanner } from "../../scans/index.ts";
import type { SessionRow } from "../rules/session.ts";
import type { EncodedEvent } from "../tuple/index.ts";

/**
 * Ingest key, or OAuth token with the scope `record`, in its stored form, with the organization that the key writes to.
 */
export interface IngestKey {
  hash: Buffer;
  /** Hash in hexadecimal. */
  id: string;
  organizationId: string;
  /** True for an OAuth token. */
  oauth?: true;
}

/** Validated rows that one request submits for storage. */
export interface Submission {
  key: IngestKey;
  /** Scanner that redacted the rows. */
  scanner: Scanner;
  session: SessionRow | null;
  events: readonly EncodedEvent[];
  /** Size of the request body in bytes. */
  bytes: number;
}

/**
 * Result for one row:
 * - `stored`: stored now, or stored before with the same content
 * - `conflict`: the id exists with different content
 * - `deleted`: the session or user of the row was deleted
 */
export type RowVerdict = "stored" | "conflict" | "deleted" | { refused: string };

/** Result of a durable submission. If the key was deleted, nothing is stored. */
export type SubmissionOutcome = { key: "deleted" } | { key: "valid"; session: RowVerdict; events: RowVerdict[] };

/** Interface to the storage engine. Another engine can implement the interface. */
export interface Sink {
  /** Maximum number of concurrent `commit` calls. */
  readonly parallelCommits: number;
  /**
   * Returns the group of a submission. Submissions of one group may share a commit, because their rows are on one
   * database node.
   */
  groupOf(submission: Submission): string;
  /**
   * Stores the submissions durably and returns their outcomes in order. An error in the list means that nothing of the
   * submission was stored.
   * @throws Unavailable when no submission was stored and a retry makes sense
   */
  commit(submissions: readonly Submission[]): Promise<(SubmissionOutcome | Error)[]>;
}
