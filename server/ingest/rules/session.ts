import { sessionIdOf } from "../observe/fold/ids.ts";
import { METADATA } from "./bounds.ts";
import {
  type Fault,
  firstFault,
  isConversation,
  object,
  optional,
  type RuleTable,
  required,
  sessionId,
  text,
  timestamp,
} from "./rules.ts";
import { type Bounds, cleanText, type Reading, tidy } from "./tidy.ts";

/** A session as it was sent; the objects are clean but not yet JSON text, since repeats merge. */
export interface SessionRow {
  session_id: string;
  external_id: string | null;
  user_id: string;
  traits: Record<string, unknown>;
  /** Characters replaced in `user_id` and the traits. */
  user_sanitized: number;
  metadata: Record<string, unknown>;
  client_config: string | null;
  timestamp: number;
  timestamp_sent: boolean;
  received_at: number;
  sanitized: number;
}

/** The rules of a session's fields. */
const RULES: RuleTable = [
  ["session_id", required(sessionId)],
  ["user_data", required(object)],
  ["metadata", optional(object)],
  ["timestamp", optional(timestamp)],
  ["client_config", optional(text(0, 256))],
];
const userId = required(text(1, 256));

const USER_DATA: Bounds = { levels: 64, bytes: 32 * 1024, redact: false };

/** Checks the body of capture-session and brings it into the form that is stored. */
export function readSession(body: Record<string, unknown>, reading: Reading): SessionRow | Fault {
  const fault = firstFault(body, RULES, reading.now);
  if (fault) return fault;
  const sent = body as unknown as Sent;
  const spelling = spellingOf(sent.user_data);
  const words = userId(sent.user_data[spelling], reading.now);
  if (words) return { field: `user_data.${spelling}`, reason: `user_data.${spelling} ${words}` };
  const metadata = sent.metadata ?? {};
  const inUser = tidy(sent.user_data, USER_DATA, reading);
  if ("words" in inUser) return { field: "user_data", reason: `user_data ${inUser.words}` };
  const inMetadata = tidy(metadata, METADATA, reading);
  if ("words" in inMetadata) return { field: "metadata", reason: `metadata ${inMetadata.words}` };
  const { user_id: _absent, [spelling]: user_id, ...traits } = sent.user_data;
  const counter = { replaced: inMetadata.replaced };
  return {
    ...readSessionId(sent.session_id, reading),
    user_id: reading.redactor.text(String(user_id)),
    traits,
    user_sanitized: inUser.replaced,
    metadata,
    client_config: sent.client_config ? reading.redactor.text(cleanText(sent.client_config, counter)) : null,
    timestamp: sent.timestamp ?? reading.now,
    timestamp_sent: typeof sent.timestamp === "number",
    received_at: reading.now,
    sanitized: counter.replaced,
  };
}

/** Clients of the format spell the user's id in either way; where both are sent, `userId` is a trait like any other. */
const spellingOf = ({ user_id = null, userId = null }: Record<string, unknown>): "user_id" | "userId" =>
  user_id === null && userId !== null ? "userId" : "user_id";

/** A body that passed the table; `null` counts as absent. */
interface Sent {
  session_id: string;
  user_data: Record<string, unknown>;
  metadata?: Record<string, unknown> | null;
  timestamp?: number | null;
  client_config?: string | null;
}

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
