import { toSessionId } from "../observe/fold/ids.ts";
import { METADATA_LIMITS } from "./bounds.ts";
import {
  type Fault,
  firstFault,
  isConversation,
  objectRule,
  optionalRule,
  type RuleTable,
  requiredRule,
  sessionIdRule,
  textRule,
  timestampRule,
} from "./rules.ts";
import { cleanObject, cleanText, type ObjectLimits, type ReadingContext } from "./tidy.ts";

/**
 * Session as sent. `traits` and `metadata` are cleaned objects but not JSON text yet, because they are merged when a
 * session is sent again.
 */
export interface CapturedSessionRow {
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
  ["session_id", requiredRule(sessionIdRule)],
  ["user_data", requiredRule(objectRule)],
  ["metadata", optionalRule(objectRule)],
  ["timestamp", optionalRule(timestampRule)],
  ["client_config", optionalRule(textRule(0, 256))],
];
const userId = requiredRule(textRule(1, 256));

const USER_DATA: ObjectLimits = { levels: 64, bytes: 32 * 1024, redact: false };

/** Validates the body of capture-session and converts the body to its stored form. */
export function parseCapturedSession(
  body: Record<string, unknown>,
  reading: ReadingContext,
): CapturedSessionRow | Fault {
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
    ...toStoredSessionId(sent.session_id, reading),
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

/** Id of a session in the database. If the sent id is not a UUID, `external_id` is the sent id. */
export interface SessionId {
  session_id: string;
  external_id: string | null;
}

/** Returns the id under which a session is stored. The sent id must be valid. */
export function toStoredSessionId(spelled: string, { organizationId = "" }: ReadingContext): SessionId {
  if (!isConversation(spelled)) return { session_id: spelled.toLowerCase(), external_id: null };
  return { session_id: toSessionId(organizationId, "", spelled), external_id: spelled };
}
