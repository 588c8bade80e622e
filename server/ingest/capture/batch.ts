import { type Slices, whole } from "../../../concurrency/slices.ts";
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

/**
 * Reads the events of a body, in slices: the fast way when all is plain and no text takes long, else the careful one.
 * @throws AppError
 */
export function* readBatch(body: Buffer, context: BodyContext): Slices<Row[]> {
  if (context.scan.isPatient) return yield* readCarefully(body, context);
  return (yield* scanEvents(body, context)) ?? (yield* readCarefully(body, context));
}

/** Parses the whole body and checks each row by the rules. @throws AppError when all of it is refused */
export function* readCarefully(body: Buffer, context: BodyContext): Slices<Row[]> {
  const { value, reading } = parsed(body, context);
  const rows: Row[] = [];
  for (const row of eventsOf(value)) {
    const id = isObject(row) && typeof row["event_id"] === "string" ? row["event_id"] : "";
    const event = yield* whole(readRow(row, reading, context));
    rows.push({ id: id.slice(0, MAX_ID), event });
    if (rows.length % SLICE === 0 || context.scan.isPatient) yield;
  }
  return rows;
}

/** Checks one row and encodes it; or what is wrong with it. */
export function readRow(
  value: unknown,
  reading: Omit<EventReading, "redactor">,
  { scan, tuples, organizationId }: BodyContext,
): EncodedEvent | Fault | Promise<EncodedEvent | Fault> {
  return scan.run((redactor) => {
    // Reading cleans what it reads in place, and counts what it cleaned. It is read again where a text takes long.
    const sent = scan.isPatient && reading.suspicious ? structuredClone(value) : value;
    const row = readEvent(sent, { ...reading, redactor });
    return isFault(row) ? row : encodeEvent(tuples, organizationId, row);
  });
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
export function parsed(body: Buffer, { now, organizationId, redaction, prices }: BodyContext) {
  const { value, suspicious } = parseBody(body);
  return {
    value,
    reading: { now, organizationId, suspicious, redact: redaction.keys, prices },
  };
}

/** The answer to a body of which all is refused. */
export const invalid = (tag: string, { field, reason }: Fault) =>
  new AppError("input", reason, { tag, ...(field && { field }) });
