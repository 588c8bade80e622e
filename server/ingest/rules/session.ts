import { toSessionId } from "../observe/fold/ids.ts";
import { METADATA_LIMITS } from "./bounds.ts";
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
import { cleanObject, cleanText, type ObjectLimits, type ReadingContext } from "./tidy.ts";

/** Session as sent. The objects are clean but not yet JSON text, because repeated sessions are merged. */
export interface SessionRow {
  session_id: string;
  external_id: string | null;
  user_id: string;
  traits: Record<string, unknown>;
  /** Number of characters replaced in `user_id` and the traits. */
  user_sanitized: number;
  metadata: Record<string, unknown>;
  client_config: string | null;
  timestamp: number;
  timestamp_sent: boolean;
  received_at: number;
  sanitized: number;
}

const RULES: RuleTable = [
  ["session_id", required(sessionId)],
  ["user_data", required(object)],
  ["metadata", optional(object)],
  ["timestamp", optional(timestamp)],
  ["client_config", optional(text(0, 256))],
];
const userId = required(text(1, 256));

const USER_DATA: ObjectLimits = { levels: 64, bytes: 32 * 1024, redact: false };

/** Validates the body of capture-session and converts the body to its stored form. */
export function readSession(body: Record<string, unknown>, reading: ReadingContext): SessionRow | Fault {
  const fault = firstFault(body, RULES, reading.now);
  if (fault) return fault;
  const sent = body as unknown as Sent;
  const spelling = spellingOf(sent.user_data);
  const words = userId(sent.user_data[spelling], reading.now);
  if (words) return { field: `user_data.${spelling}`, reason: `user_data.${spelling} ${words}` };
  const metadata = sent.metadata ?? {};
  const inUser = cleanObject(sent.user_data, USER_DATA, reading);
  if ("words" in inUser) return { field: "user_data", reason: `user_data ${inUser.words}` };
  const inMetadata = cleanObject(metadata, METADATA_LIMITS, reading);
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

/** Clients spell the user's id as `user_id` or `userId`. If both are sent, `userId` is an ordinary trait. */
const spellingOf = ({ user_id = null, userId = null }: Record<string, unknown>): "user_id" | "userId" =>
  user_id === null && userId !== null ? "userId" : "user_id";

/** Body whose fields are valid; `null` counts as absent. */
interface Sent {
  session_id: string;
  user_data: Record<string, unknown>;
  metadata?: Record<string, unknown> | null;
  timestamp?: number | null;
  client_config?: string | null;
}

/** Session id, with the sent id if that is not a UUID. */
export interface SessionId {
  session_id: string;
  external_id: string | null;
}

/** Returns the id under which a session is stored. The sent id must be valid. */
export function readSessionId(spelled: string, { organizationId = "" }: ReadingContext): SessionId {
  if (!isConversation(spelled)) return { session_id: spelled.toLowerCase(), external_id: null };
  return { session_id: toSessionId(organizationId, "", spelled), external_id: spelled };
}
