import { isObject } from "../../../formats/json.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { countRedactionMarksAsJson } from "../../../redaction/index.ts";
import { type CostCalculator, NANODOLLARS_PER_DOLLAR } from "../../prices/prices.ts";
import { extractMessage } from "../../resources/recorded/failures/message.ts";
import { GEN_AI_ATTRIBUTES, type GenAiColumn, MAX_VALID_COUNT } from "../../resources/recorded/kinds.ts";
import type { EventMeasurements } from "../tuple/index.ts";
import { MAX_NAME_CHARS, MAX_PAYLOAD_BYTES, MAX_TYPE_CHARS, METADATA_LIMITS } from "./bounds.ts";
import {
  booleanRule,
  durationRule,
  type Fault,
  firstFault,
  objectRule,
  optionalRule,
  payloadRule,
  type RuleTable,
  requiredRule,
  sessionIdRule,
  textRule,
  timestampRule,
  uuidRule,
} from "./rules.ts";
import { toStoredSessionId } from "./session.ts";
import { cleanObject, cleanText, type EventReadingContext, type ReadingContext, truncateText } from "./tidy.ts";

/** Event in stored form: ids in lower case, times in epoch ms, metadata as JSON text. */
export interface CapturedEventRow {
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
  /** Message of a failure. */
  message: string | null;
  /** Number of redacted secrets by kind, as JSON text. */
  redacted: string | null;
  /**
   * Cost in US dollars, computed with the prices that applied at the time of the event. Null if the agent reported a
   * cost or if the cost is unknown.
   */
  computed_cost: string | null;
  sanitized: number;
  /** Model, token counts and cost that were read from the metadata, and the computed cost if there is one. */
  measured: EventMeasurements | null;
}

/** Validates one row of a request and converts the row to its stored form. */
export function parseCapturedEvent(value: unknown, reading: EventReadingContext): CapturedEventRow | Fault {
  if (!isObject(value)) return { field: "", reason: "an event must be an object" };
  const sent = value as unknown as SentEvent;
  const fault = eventFault(value, reading.now);
  if (fault) return fault;
  const row = rowOf(sent, reading);
  if (sent.metadata) {
    const tidied = cleanObject(sent.metadata, METADATA_LIMITS, reading);
    if ("words" in tidied) return { field: "metadata", reason: `metadata ${tidied.words}` };
    row.metadata = tidied.json;
    row.measured = measuredIn(sent.metadata);
    costRow(row, reading.prices);
    row.sanitized = tidied.replaced;
  }
  if (reading.suspicious) cleanRow(row);
  redactRow(row, reading);
  row.redacted = countRedactionMarksAsJson([
    row.primitive_name,
    row.primitive_type,
    row.args,
    row.result,
    row.metadata,
  ]);
  if (!row.success) row.message = extractMessage(row.result);
  return row;
}

function rowOf(sent: SentEvent, reading: ReadingContext): CapturedEventRow {
  const { now } = reading;
  const { session_id, external_id } = toStoredSessionId(sent.session_id, reading);
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
    message: null,
    redacted: null,
    computed_cost: null,
    sanitized: 0,
    measured: null,
  };
}

function redactRow(row: CapturedEventRow, { redactor }: ReadingContext): void {
  const redacted = (text: string, bytes: number) => {
    const kept = redactor.text(text);
    return kept === text ? text : truncateText(kept, bytes);
  };
  row.primitive_name = redacted(row.primitive_name, MAX_NAME_CHARS);
  row.primitive_type = row.primitive_type && redacted(row.primitive_type, MAX_TYPE_CHARS);
  row.args = redacted(row.args, MAX_PAYLOAD_BYTES);
  row.result = redacted(row.result, MAX_PAYLOAD_BYTES);
}

function cleanRow(row: CapturedEventRow): void {
  const counter = { replaced: row.sanitized };
  for (const field of ["primitive_name", "primitive_type", "args", "result"] as const) {
    const value = row[field];
    if (value !== null) row[field] = cleanText(value, counter);
  }
  row.sanitized = counter.replaced;
}

const NAMES = Object.entries(GEN_AI_ATTRIBUTES) as [GenAiColumn, string][];

/**
 * Reads the model, the token counts and the cost from metadata, under their GenAI names. Returns null if the metadata
 * contains none of them. The rules are the same as in the SQL that reads metadata.
 */
function measuredIn(metadata: Readonly<Record<string, unknown>>): EventMeasurements | null {
  const measured: Record<string, unknown> = {};
  for (const [name, key] of NAMES) {
    const value = getOwnProperty(metadata, key);
    if (name === "model" ? typeof value === "string" && value !== "" : isCount(value))
      measured[name] = stored(name, value);
  }
  return Object.keys(measured).length > 0 ? measured : null;
}

/** Computes the cost of an event that reports tokens but no cost. */
function costRow(row: CapturedEventRow, prices: CostCalculator): void {
  const { measured } = row;
  if (!measured || measured.cost !== undefined) return;
  const { model = null, input_tokens: input, output_tokens: output } = measured;
  const cached = { cacheRead: measured.cache_read_tokens, cacheWrite: measured.cache_write_tokens };
  const cost = prices.costOf({ source: null, model, at: row.timestamp, input, output, ...cached });
  if (cost === undefined) return;
  row.computed_cost = cost.toFixed(9);
  measured.computed_cost = Math.round(cost * NANODOLLARS_PER_DOLLAR);
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= MAX_VALID_COUNT;

function stored(name: GenAiColumn, value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Math.round(name === "cost" ? value * NANODOLLARS_PER_DOLLAR : value);
}

/** Event whose fields are valid. */
interface SentEvent {
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

/**
 * Returns the first fault of an event. Checks each field first, and then rules that concern several fields. If the time
 * of a checkpoint was sent as digits in a string, replaces the string by a number in `event`.
 */
function eventFault(event: Record<string, unknown>, now: number): Fault | undefined {
  return firstFault(event, RULES, now) ?? crossFault(event as unknown as SentEvent, now);
}

/** Rules for an event's fields. Other fields are neither checked nor stored. */
const RULES: RuleTable = [
  ["event_id", requiredRule(uuidRule)],
  ["session_id", requiredRule(sessionIdRule)],
  ["primitive_name", requiredRule(textRule(1, MAX_NAME_CHARS))],
  ["primitive_type", optionalRule(textRule(0, MAX_TYPE_CHARS))],
  ["args", requiredRule(payloadRule(MAX_PAYLOAD_BYTES))],
  ["result", requiredRule(payloadRule(MAX_PAYLOAD_BYTES))],
  ["success", optionalRule(booleanRule)],
  ["latency", optionalRule(durationRule)],
  ["timestamp", optionalRule(timestampRule)],
  ["parent_id", optionalRule(uuidRule)],
  ["metadata", optionalRule(objectRule)],
];

const CHECKPOINT = "checkpoint.";
/** Epoch milliseconds in a string. Some clients convert every value to a string before sending. */
const DIGITS = /^\d{12,13}$/;

function crossFault({ event_id, parent_id, metadata }: SentEvent, now: number): Fault | undefined {
  if (parent_id && parent_id.toLowerCase() === event_id.toLowerCase()) {
    return { field: "parent_id", reason: "parent_id must not be the event's own event_id" };
  }
  for (const key in metadata) {
    if (!key.startsWith(CHECKPOINT)) continue;
    const at = milestone(getOwnProperty(metadata, key), now);
    if (typeof at !== "number" || !Number.isFinite(at) || at < 0) {
      return { field: "metadata", reason: `metadata ${CHECKPOINT}* values must be epoch-millisecond numbers` };
    }
    metadata[key] = at;
  }
  return undefined;
}

/**
 * Converts a string of digits to a number if the number is a valid time of an event. Returns other values unchanged.
 */
const milestone = (value: unknown, now: number): unknown =>
  typeof value === "string" && DIGITS.test(value) && timestampRule(Number(value), now) === undefined
    ? Number(value)
    : value;
