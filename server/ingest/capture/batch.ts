import { type SlicedWork, waitForValue } from "../../../concurrency/slices.ts";
import { isObject } from "../../../formats/json.ts";
import { AppError } from "../../errors.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";
import { parseCapturedEvent } from "../rules/event.ts";
import { type Fault, isFault } from "../rules/rules.ts";
import type { EventReadingContext } from "../rules/tidy.ts";
import { EVENTS_PER_SLICE, scanEvents } from "../scan/index.ts";
import { type EncodedEvent, encodeEvent } from "../tuple/index.ts";
import type { BodyContext } from "./context.ts";
import { type InvalidUtf8Handling, parseBody } from "./json.ts";

/** One row of a batch: the id that the caller sent, and either the event or the reason why the row is invalid. */
export interface BatchEvent {
  id: string;
  event: EncodedEvent | Fault;
}

/** Maximum characters of an id in a response. A longer id is not a UUID and was sent by mistake. */
const MAX_ID = 256;

/**
 * Reads the events of a body in slices. The fast path reads bodies that contain only plain values and no text that
 * takes long to scan. The careful path reads all other bodies.
 * @throws AppError
 */
export function* readBatch(body: Buffer, context: BodyContext): SlicedWork<BatchEvent[]> {
  if (context.scan.isPatient) return yield* readCarefully(body, context);
  return (yield* scanEvents(body, context)) ?? (yield* readCarefully(body, context));
}

/** Parses the whole body and validates each row. @throws AppError if the body as a whole is invalid */
export function* readCarefully(body: Buffer, context: BodyContext): SlicedWork<BatchEvent[]> {
  const { value, reading } = parseBatchBody(body, context);
  const rows: BatchEvent[] = [];
  for (const row of eventsOf(value)) {
    const id = isObject(row) && typeof row["event_id"] === "string" ? row["event_id"] : "";
    const event = yield* waitForValue(readBatchRow(row, reading, context));
    rows.push({ id: id.slice(0, MAX_ID), event });
    if (rows.length % EVENTS_PER_SLICE === 0 || context.scan.isPatient) yield;
  }
  return rows;
}

/** Validates and encodes one row; returns the fault if the row is invalid. */
export function readBatchRow(
  value: unknown,
  reading: Omit<EventReadingContext, "redactor">,
  { scan, tuples, organizationId }: BodyContext,
): EncodedEvent | Fault | Promise<EncodedEvent | Fault> {
  return scan.run((redactor) => {
    // `parseCapturedEvent` cleans the value in place and counts the cleaned values. A text that takes long to scan makes the
    // scan read the same value again, so `parseCapturedEvent` gets a copy.
    const sent = scan.isPatient && reading.suspicious ? structuredClone(value) : value;
    const row = parseCapturedEvent(sent, { ...reading, redactor });
    return isFault(row) ? row : encodeEvent(tuples, organizationId, row);
  });
}

function eventsOf(body: Record<string, unknown>): unknown[] {
  const { events } = body;
  if (!Array.isArray(events))
    throw invalidRowError("invalid_body", { field: "events", reason: "events must be an array" });
  if (events.length <= MAX_EVENTS) return events;
  const details = { tag: "too_many_events", field: "events", limit: MAX_EVENTS };
  throw new AppError(
    "input",
    `events must hold at most ${MAX_EVENTS} events; send the rest in further batches`,
    details,
  );
}

/** Parses a body and returns the settings for validating its rows. */
export function parseBatchBody(
  body: Buffer,
  { now, organizationId, redaction, prices }: BodyContext,
  invalidBytes?: InvalidUtf8Handling,
) {
  const { value, suspicious } = parseBody(body, undefined, invalidBytes);
  return {
    value,
    reading: { now, organizationId, suspicious, redact: redaction.keys, prices },
  };
}

export const invalidRowError = (tag: string, { field, reason }: Fault) =>
  new AppError("input", reason, { tag, ...(field && { field }) });
