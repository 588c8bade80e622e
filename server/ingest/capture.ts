import { AppError, conflict } from "../errors.ts";
import { type EventRow, readEvent } from "./event.ts";
import type { ParsedBody } from "./json.ts";
import { type Fault, isFault, isObject } from "./rules.ts";
import { readSession, type SessionRow } from "./session.ts";
import type { Outcome, Verdict } from "./sink.ts";
import type { Reading } from "./tidy.ts";

type Stored = Extract<Outcome, { key: "valid" }>;

/** What an endpoint makes of a body: the rows to store, and the answer once their fate is known. */
export interface Capture {
  session: SessionRow | null;
  events: readonly EventRow[];
  /** How many events the caller sent, for the rate limit. */
  sent: number;
  /** @throws AppError when the one row of a single endpoint was not stored */
  answer(outcome: Stored): Answer;
}

/** A success: its status, its body (a string is JSON already) and its headers. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, number>;
}

/** Reads a body for one endpoint. @throws AppError 400 when all of it is refused */
export type Endpoint = (body: ParsedBody, reading: Reading) => Capture;

const MAX_EVENTS = 500;
const OTHER_CONTENT = "event_id already used with different content";

/** POST /api/v1/capture-session */
export const captureSession: Endpoint = ({ value }, reading) => {
  const session = readSession(value, reading);
  if (isFault(session)) throw invalid("invalid_session", session);
  return {
    session,
    events: [],
    sent: 0,
    answer({ session: verdict }) {
      if (verdict === "conflict") {
        throw conflict("session_id already belongs to another user_id", "session_conflict", "user_data.user_id");
      }
      if (verdict !== "stored") throw invalid("invalid_session", { field: "session_id", reason: verdict.refused });
      return { status: 200, body: { status: "ok", session_id: value["session_id"] } };
    },
  };
};

/** POST /api/v1/capture-event */
export const captureEvent: Endpoint = ({ value }, reading) => {
  const event = readEvent(value, reading);
  if (isFault(event)) throw invalid("invalid_event", event);
  return {
    session: null,
    events: [event],
    sent: 1,
    answer({ events: [verdict] }) {
      if (verdict === "conflict") throw conflict(OTHER_CONTENT, "event_conflict", "event_id");
      if (typeof verdict === "object") throw invalid("invalid_event", { field: "event_id", reason: verdict.refused });
      return { status: 200, body: { status: "ok", event_id: value["event_id"] } };
    },
  };
};

/** POST /api/v1/capture-events: a verdict for each row, and 202 whatever they are. */
export const captureEvents: Endpoint = ({ value }, reading) => {
  const rows = eventsOf(value);
  const checked = rows.map((row) => readEvent(row, reading));
  return {
    session: null,
    events: checked.filter((row): row is EventRow => !isFault(row)),
    sent: rows.length,
    answer({ events: verdicts }) {
      let stored = 0;
      let accepted = 0;
      const results = checked.map((row, index) => {
        const reason = isFault(row) ? row.reason : words(verdicts[stored++]);
        if (reason === "") accepted += 1;
        return result(index, rows[index], reason);
      });
      const rejected = results.length - accepted;
      const headers = { "X-Ingest-Accepted": accepted, "X-Ingest-Rejected": rejected };
      const body = `{"accepted":${accepted},"rejected":${rejected},"results":[${results.join(",")}]}`;
      return { status: 202, body, headers };
    },
  };
};

/** One element of `results` as JSON text. */
function result(index: number, row: unknown, reason: string): string {
  const id = isObject(row) && typeof row["event_id"] === "string" ? row["event_id"] : "";
  // An accepted id is a UUID and needs no escapes; 500 small strings cost a third of what 500 objects do.
  if (reason === "") return `{"index":${index},"event_id":"${id}","status":"accepted","reason":""}`;
  return JSON.stringify({ index, event_id: id, status: "rejected", reason });
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

function words(verdict: Verdict | undefined): string {
  if (verdict === "stored") return "";
  if (verdict === undefined) throw new Error("the store told nothing of a row");
  return verdict === "conflict" ? OTHER_CONTENT : verdict.refused;
}

const invalid = (tag: string, { field, reason }: Fault) =>
  new AppError("input", reason, { tag, ...(field && { field }) });
