import { isObject } from "../../../formats/json.ts";
import { AppError } from "../../errors.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";
import { readEvent } from "../rules/event.ts";
import { type Fault, isFault } from "../rules/rules.ts";
import type { EventReading } from "../rules/tidy.ts";
import { SLICE, scanEvents } from "../scan/index.ts";
import { type EncodedEvent, encodeEvent } from "../tuple/index.ts";
import type { BodyContext } from "./context.ts";
import { parseBody } from "./json.ts";

/** A row of a batch: its id as it was sent, and the event or what is wrong with it. */
export interface Row {
  id: string;
  event: EncodedEvent | Fault;
}

/** Characters of an id in an answer: what is longer is no UUID and was sent by mistake. */
const MAX_ID = 256;

/** Reads the events of a body, in slices: the fast way when all is plain, else the careful one. @throws AppError */
export function* readBatch(body: Buffer, context: BodyContext): Generator<void, Row[]> {
  return (yield* scanEvents(body, context)) ?? (yield* readCarefully(body, context));
}

/** Parses the whole body and checks each row by the rules. @throws AppError when all of it is refused */
export function* readCarefully(body: Buffer, context: BodyContext): Generator<void, Row[]> {
  const { value, reading } = parsed(body, context);
  const rows: Row[] = [];
  for (const row of eventsOf(value)) {
    const id = isObject(row) && typeof row["event_id"] === "string" ? row["event_id"] : "";
    rows.push({ id: id.slice(0, MAX_ID), event: readRow(row, reading, context) });
    if (rows.length % SLICE === 0) yield;
  }
  return rows;
}

/** Checks one row and encodes it; or what is wrong with it. */
export function readRow(value: unknown, reading: EventReading, context: BodyContext): EncodedEvent | Fault {
  const row = readEvent(value, reading);
  return isFault(row) ? row : encodeEvent(context.tuples, context.organizationId, row);
}

function eventsOf(body: Record<string, unknown>): unknown[] {
  const { events } = body;
  if (!Array.isArray(events)) throw invalid("invalid_body", { field: "events", reason: "events must be an array" });
  if (events.length <= MAX_EVENTS) return events;
  const details = { tag: "too_many_events", field: "events", limit: MAX_EVENTS };
  throw new AppError(
    "input",
    `events must hold at most ${MAX_EVENTS} events; send the rest in further batches`,
    details,
  );
}

/** Parses a body; the reading says how its rows are to be checked. */
export function parsed(body: Buffer, { now, organizationId, redaction, redactor, prices }: BodyContext) {
  const { value, suspicious } = parseBody(body);
  return {
    value,
    reading: { now, organizationId, suspicious, redact: redaction.keys, redactor, prices },
  };
}

/** The answer to a body of which all is refused. */
export const invalid = (tag: string, { field, reason }: Fault) =>
  new AppError("input", reason, { tag, ...(field && { field }) });
