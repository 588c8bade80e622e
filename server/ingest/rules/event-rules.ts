import { NAME_CHARS, PAYLOAD_BYTES, TYPE_CHARS } from "./bounds.ts";
import {
  boolean,
  duration,
  type Fault,
  firstFault,
  object,
  optional,
  payload,
  type RuleTable,
  required,
  sessionId,
  text,
  timestamp,
  uuid,
} from "./rules.ts";

/** An event whose fields follow the rules. */
export interface SentEvent {
  event_id: string;
  session_id: string;
  parent_id?: string | null;
  primitive_name: string;
  primitive_type?: string | null;
  args: string;
  result: string;
  success?: boolean | null;
  latency?: number | null;
  timestamp?: number | null;
  metadata?: Record<string, unknown> | null;
}

/** Faults of an event, field by field and between fields. Milestones spelled as digits become numbers, in place. */
export function eventFault(event: Record<string, unknown>, now: number): Fault | undefined {
  return firstFault(event, RULES, now) ?? crossFault(event as unknown as SentEvent, now);
}

/** The rules of an event's fields. Fields not named here are neither checked nor stored. */
const RULES: RuleTable = [
  ["event_id", required(uuid)],
  ["session_id", required(sessionId)],
  ["primitive_name", required(text(1, NAME_CHARS))],
  ["primitive_type", optional(text(0, TYPE_CHARS))],
  ["args", required(payload(PAYLOAD_BYTES))],
  ["result", required(payload(PAYLOAD_BYTES))],
  ["success", optional(boolean)],
  ["latency", optional(duration)],
  ["timestamp", optional(timestamp)],
  ["parent_id", optional(uuid)],
  ["metadata", optional(object)],
];

const CHECKPOINT = "checkpoint.";
/** Epoch milliseconds as the field's clients spell them, that turn every value into text. */
const DIGITS = /^\d{12,13}$/;

function crossFault({ event_id, parent_id, metadata }: SentEvent, now: number): Fault | undefined {
  if (parent_id && parent_id.toLowerCase() === event_id.toLowerCase()) {
    return { field: "parent_id", reason: "parent_id must not be the event's own event_id" };
  }
  for (const key in metadata) {
    if (!key.startsWith(CHECKPOINT)) continue;
    const at = milestone(metadata[key], now);
    if (typeof at !== "number" || !Number.isFinite(at) || at < 0) {
      return { field: "metadata", reason: `metadata ${CHECKPOINT}* values must be epoch-millisecond numbers` };
    }
    metadata[key] = at;
  }
  return undefined;
}

/** Digits of a time that could be an event's own count as the number. */
const milestone = (value: unknown, now: number): unknown =>
  typeof value === "string" && DIGITS.test(value) && timestamp(Number(value), now) === undefined
    ? Number(value)
    : value;
