import type { SecretScanner } from "../../scans/index.ts";
import type { CapturedSessionRow } from "../rules/session.ts";
import type { EncodedEvent } from "../tuple/index.ts";

/**
 * The stored form of an ingest key, or of an OAuth token with the scope `record`. `organizationId` is the organization
 * to which the key writes.
 */
export interface IngestCredential {
  hash: Buffer;
  /** Hash in hexadecimal. */
  id: string;
  organizationId: string;
  /** True for an OAuth token. */
  oauth?: true;
}

/** Validated rows that one request submits for storage. */
export interface Submission {
  key: IngestCredential;
  /** Scanner that redacted the rows. */
  scanner: SecretScanner;
  session: CapturedSessionRow | null;
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

/**
 * Result of a submission. If the key was deleted, nothing is stored. Otherwise each row has a verdict, and the rows
 * with the verdict `stored` are durable.
 */
export type SubmissionOutcome = { key: "deleted" } | { key: "valid"; session: RowVerdict; events: RowVerdict[] };

/** Interface to the storage engine. Another engine can implement the interface. */
export interface Sink {
  /** Maximum number of concurrent `commit` calls. */
  readonly parallelCommits: number;
  /**
   * Returns the name of the group to which a submission belongs. Submissions of one group may share a commit, because
   * the rows of a group are on one database node.
   */
  groupOf(submission: Submission): string;
  /**
   * Stores the submissions durably and returns their outcomes in order. An Error in the list means that no row of the
   * submission was stored.
   * @throws UnavailableError when no submission was stored and a retry makes sense
   */
  commit(submissions: readonly Submission[]): Promise<(SubmissionOutcome | Error)[]>;
}
