import { sessionIdOf } from "../observe/ids.ts";
import { isConversation } from "./rules.ts";
import type { Reading } from "./tidy.ts";

/** A session's id, and its own spelling where that is no UUID. */
export interface SessionId {
  session_id: string;
  external_id: string | null;
}

/** The id under which a session is stored; the spelling passed its rule. */
export function readSessionId(spelled: string, { organizationId = "" }: Reading): SessionId {
  if (!isConversation(spelled)) return { session_id: spelled.toLowerCase(), external_id: null };
  return { session_id: sessionIdOf(organizationId, "", spelled), external_id: spelled };
}
