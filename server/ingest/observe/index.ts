import type { Database } from "../../../db/open.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Redaction } from "../rules/redaction.ts";
import type { Observation } from "./observation.ts";

export type { EventKind, Observation, ObservedText, Usage } from "./observation.ts";

/** What recording needs of the process. */
export interface Recorder {
  db: Database;
  /** Applied here, to metadata and to args that are JSON: doors hand on what they were sent. */
  redaction: Redaction;
}

/** An observation that was not kept, by its place in the list. */
export interface Rejection {
  index: number;
  reason: string;
}

/** What became of a list; a deleted key stores nothing. */
export type Recorded = { key: "deleted" } | { key: "valid"; rejected: readonly Rejection[] };

/**
 * Makes a list of observations durable, in one transaction that is committed when this resolves. The same observations
 * again, in any order, add nothing.
 * @throws Unavailable when nothing was kept and another try makes sense
 */
export async function recordObservations(
  _recorder: Recorder,
  _key: IngestKey,
  observations: readonly Observation[],
): Promise<Recorded> {
  return { key: "valid", rejected: observations.map((_, index) => ({ index, reason: "is not stored yet" })) };
}
