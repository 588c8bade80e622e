import type { SessionQuery } from "../../data/documents.ts";

/** A session, as its page reads it. */
export type Recorded = SessionQuery["recordedSession"];

/** A way to read a session. */
export type Reading = "timeline" | "transcript" | "log" | "files";

/** The ways to read a session, with their names. */
export const READINGS: readonly [reading: Reading, name: string][] = [
  ["timeline", "Timeline"],
  ["transcript", "Transcript"],
  ["log", "Log"],
  ["files", "Files"],
];

/** The address of a view of a session. */
export const addressOf = (id: string, reading: Reading): string =>
  reading === "timeline" ? `/sessions/${id}` : `/sessions/${id}/${reading}`;

/** The reading that a part of an address names; the timeline for any other. */
export const readingOf = (named: string | undefined): Reading =>
  READINGS.find(([reading]) => reading === named)?.[0] ?? "timeline";
