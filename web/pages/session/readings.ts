import type { SessionQuery } from "../../data/documents.ts";

/** Session as read for the session page. */
export type SessionData = SessionQuery["recordedSession"];

export type SessionView = "timeline" | "transcript" | "log" | "files";

/** Views of a session, with labels. */
export const SESSION_VIEWS: readonly [reading: SessionView, name: string][] = [
  ["timeline", "Timeline"],
  ["transcript", "Transcript"],
  ["log", "Log"],
  ["files", "Files"],
];

/** Returns the URL path of a view of a session. */
export const buildViewAddress = (id: string, reading: SessionView): string =>
  reading === "timeline" ? `/sessions/${id}` : `/sessions/${id}/${reading}`;

/** Returns the view with the given name from a URL. Returns the timeline for any other name. */
export const parseSessionView = (named: string | undefined): SessionView =>
  SESSION_VIEWS.find(([reading]) => reading === named)?.[0] ?? "timeline";
