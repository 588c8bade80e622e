import { AppError, conflict } from "../errors.ts";
import { type EventRow, readEvent } from "./event.ts";
import type { ParsedBody } from "./json.ts";
import { type Fault, isFault } from "./rules.ts";
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

/** A success: its status, body and headers. */
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
      let next = 0;
      const results = checked.map((row, index) => {
        const reason = isFault(row) ? row.reason : words(verdicts[next++]);
        const status = reason === "" ? "accepted" : "rejected";
        return { index, event_id: idOf(rows[index]), status, reason };
      });
      const rejected = results.filter(({ status }) => status === "rejected").length;
      const accepted = results.length - rejected;
      const headers = { "X-Ingest-Accepted": accepted, "X-Ingest-Rejected": rejected };
      return { status: 202, body: { accepted, rejected, results }, headers };
    },
  };
};

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

const idOf = (row: unknown): string => {
  const id = typeof row === "object" && row !== null && "event_id" in row ? row.event_id : "";
  return typeof id === "string" ? id : "";
};

const invalid = (tag: string, { field, reason }: Fault) =>
  new AppError("input", reason, { tag, ...(field && { field }) });
