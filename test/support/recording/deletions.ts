import { randomUUID } from "node:crypto";
import type { Workspace } from "../workspace.ts";
import { createEvent } from "./ingest.ts";

/** Creates a unique word. */
export const createMarker = () => `zq${randomUUID().slice(0, 8)}x`;

export const removeSessions = ({ does }: Workspace, mutation: string, id: string) =>
  does(mutation, { id }, "success complete lastSyncId");

export const session = (userId: string, fields: object = {}) => ({
  path: "/api/v1/capture-session",
  body: { session_id: randomUUID(), user_data: { user_id: userId }, ...fields },
});
export const event = (session_id: string, text: string) => ({
  path: "/api/v1/capture-event",
  body: createEvent({ session_id, args: text, result: text }),
});
