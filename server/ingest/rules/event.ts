import type { Measured } from "../tuple/index.ts";
import { METADATA, NAME_CHARS, PAYLOAD_BYTES, TYPE_CHARS } from "./bounds.ts";
import { measuredIn } from "./measured.ts";
import {
  boolean,
  duration,
  type Fault,
  firstFault,
  isObject,
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
import { readSessionId } from "./session-id.ts";
import { cleanText, type Reading, tidy } from "./tidy.ts";

/** An event as it is stored; ids in lower case, times in epoch ms, metadata as JSON text. */
export interface EventRow {
  event_id: string;
  session_id: string;
  external_id: string | null;
  parent_id: string | null;
  timestamp: number;
  timestamp_sent: boolean;
  received_at: number;
  latency: number | null;
  success: boolean;
  primitive_name: string;
  primitive_type: string | null;
  args: string;
  result: string;
  metadata: string | null;
  sanitized: number;
  /** What the metadata tells of tokens and the like. */
  measured: Measured | null;
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

/** Checks one row of a request and brings it into the form that is stored. */
export function readEvent(value: unknown, reading: Reading): EventRow | Fault {
  if (!isObject(value)) return { field: "", reason: "an event must be an object" };
  const sent = value as unknown as Sent;
  const fault = firstFault(value, RULES, reading.now) ?? crossFault(sent);
  if (fault) return fault;
  const row = rowOf(sent, reading);
  if (sent.metadata) {
    const tidied = tidy(sent.metadata, METADATA, reading);
    if ("words" in tidied) return { field: "metadata", reason: `metadata ${tidied.words}` };
    row.metadata = tidied.json;
    row.measured = measuredIn(sent.metadata);
    row.sanitized = tidied.replaced;
  }
  if (reading.suspicious) cleanRow(row);
  return row;
}

function rowOf(sent: Sent, reading: Reading): EventRow {
  const { now } = reading;
  const { session_id, external_id } = readSessionId(sent.session_id, reading);
  return {
    event_id: sent.event_id.toLowerCase(),
    session_id,
    external_id,
    parent_id: sent.parent_id ? sent.parent_id.toLowerCase() : null,
    timestamp: sent.timestamp ?? now,
    timestamp_sent: typeof sent.timestamp === "number",
    received_at: now,
    latency: sent.latency ?? null,
    success: sent.success ?? true,
    primitive_name: sent.primitive_name,
    primitive_type: sent.primitive_type || null,
    args: sent.args,
    result: sent.result,
    metadata: null,
    sanitized: 0,
    measured: null,
  };
}

function cleanRow(row: EventRow): void {
  const counter = { replaced: row.sanitized };
  for (const field of ["primitive_name", "primitive_type", "args", "result"] as const) {
    const value = row[field];
    if (value !== null) row[field] = cleanText(value, counter);
  }
  row.sanitized = counter.replaced;
}

/** A row that passed the table. */
interface Sent {
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

function crossFault({ event_id, parent_id, metadata }: Sent): Fault | undefined {
  if (parent_id && parent_id.toLowerCase() === event_id.toLowerCase()) {
    return { field: "parent_id", reason: "parent_id must not be the event's own event_id" };
  }
  for (const key in metadata) {
    if (!key.startsWith(CHECKPOINT)) continue;
    const at = metadata[key];
    if (typeof at !== "number" || !Number.isFinite(at) || at < 0) {
      return { field: "metadata", reason: `metadata ${CHECKPOINT}* values must be epoch-millisecond numbers` };
    }
  }
  return undefined;
}
