import { runInSlices } from "../../../concurrency/slices.ts";
import type { Database } from "../../../db/open.ts";
import type { Observation } from "../../agents/observation.ts";
import { incrementCounter } from "../../counters.ts";
import { AppError, conflict } from "../../errors.ts";
import type { RowVerdict, SubmissionOutcome } from "../commit/sink.ts";
import type { RejectedObservation } from "../observe/append.ts";
import { isFault } from "../rules/rules.ts";
import { type CapturedSessionRow, parseCapturedSession } from "../rules/session.ts";
import { DELETED_REASON } from "../tombstones.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import { invalidRowError, parseBatchBody, readBatch, readBatchRow } from "./batch.ts";
import type { BodyContext } from "./context.ts";

type Stored = Extract<SubmissionOutcome, { key: "valid" }>;

/** Result of reading a body: the rows to store, and the function that creates the response after the commit. */
export interface CapturedBody {
  session: CapturedSessionRow | null;
  events: readonly EncodedEvent[];
  /** Number of events that the caller sent, for the rate limit. */
  sent: number;
  /** @throws AppError when the only row of a single-event endpoint was not stored */
  answer(outcome: Stored): CaptureResponse;
}

/** Success response: status, body (a string is already JSON) and headers. */
export interface CaptureResponse {
  status: number;
  body: unknown;
  headers?: Record<string, number>;
}

/** Observations in a body, and the function that creates the response after the commit. */
export interface ObservationsBody {
  observations: readonly Observation[];
  answer(rejected: readonly RejectedObservation[]): CaptureResponse;
}

/** A question that a client asks in a body, such as whether an agent must stop. The response stores nothing. */
export interface ClientQuestion {
  ask(db: Database, organizationId: string): Promise<CaptureResponse>;
}

/** Error for a row of a deleted session or user, which the server will never accept: retrying does not help. */
const gone = (field: string) => new AppError("gone", `it ${DELETED_REASON}`, { tag: "recording_deleted", field });

/** Reads a body for one endpoint. @throws AppError 400 when the whole body is invalid */
export type IngestEndpoint<Work = CapturedBody | ObservationsBody | ClientQuestion> = (
  body: Buffer,
  context: BodyContext,
) => Work | Promise<Work>;

const OTHER_CONTENT = "event_id already used with different content";

/** POST /api/v1/capture-session */
export const captureSession: IngestEndpoint<CapturedBody> = async (body, context) => {
  const { value, session } = await context.scan.run((redactor) => {
    const { value, reading } = parseBatchBody(body, context);
    return { value, session: parseCapturedSession(value, { ...reading, redactor }) };
  });
  if (isFault(session)) throw invalidRowError("invalid_session", session);
  return {
    session,
    events: [],
    sent: 0,
    answer({ session: verdict }) {
      if (verdict === "conflict") {
        throw conflict("session_id already belongs to another user_id", "session_conflict", "user_data.user_id");
      }
      if (verdict === "deleted") throw gone("session_id");
      if (verdict !== "stored")
        throw invalidRowError("invalid_session", { field: "session_id", reason: verdict.refused });
      return { status: 200, body: { status: "ok", session_id: value["session_id"] } };
    },
  };
};

/** POST /api/v1/capture-event */
export const captureEvent: IngestEndpoint<CapturedBody> = async (body, context) => {
  const { value, reading } = parseBatchBody(body, context);
  const event = await readBatchRow(value, reading, context);
  if (isFault(event)) throw invalidRowError("invalid_event", event);
  return {
    session: null,
    events: [event],
    sent: 1,
    answer({ events: [verdict] }) {
      if (verdict === "conflict") throw conflict(OTHER_CONTENT, "event_conflict", "event_id");
      if (verdict === "deleted") throw gone("session_id");
      if (typeof verdict === "object")
        throw invalidRowError("invalid_event", { field: "event_id", reason: verdict.refused });
      return { status: 200, body: { status: "ok", event_id: value["event_id"] } };
    },
  };
};

/** POST /api/v1/capture-events: responds with 202 and a verdict for each row, even if rows are rejected. */
export const captureEvents: IngestEndpoint<CapturedBody> = async (body, context) => {
  const rows = await runInSlices(readBatch(body, context));
  const valid = rows.flatMap(({ event }) => (isFault(event) ? [] : [event]));
  incrementCounter("ingest_events_refused_total", "invalid", rows.length - valid.length);
  return {
    session: null,
    events: valid,
    sent: rows.length,
    answer({ events: verdicts }) {
      let stored = 0;
      let accepted = 0;
      const results = rows.map(({ id, event }, index) => {
        const reason = isFault(event) ? event.reason : words(verdicts[stored++]);
        if (reason === "") accepted += 1;
        return result(index, id, reason);
      });
      const rejected = results.length - accepted;
      const headers = { "X-Ingest-Accepted": accepted, "X-Ingest-Rejected": rejected };
      const body = `{"accepted":${accepted},"rejected":${rejected},"results":[${results.join(",")}]}`;
      return { status: 202, body, headers };
    },
  };
};

/** Returns one element of `results` as JSON text. */
function result(index: number, id: string, reason: string): string {
  // An accepted id is a UUID and needs no escaping. Joining 500 short strings costs a third of serializing 500 objects.
  if (reason === "") return `{"index":${index},"event_id":"${id}","status":"accepted","reason":""}`;
  return JSON.stringify({ index, event_id: id, status: "rejected", reason });
}

function words(verdict: RowVerdict | undefined): string {
  if (verdict === "stored") return "";
  if (verdict === undefined) throw new Error("the store reported nothing of a row");
  if (verdict === "deleted") return DELETED_REASON;
  return verdict === "conflict" ? OTHER_CONTENT : verdict.refused;
}
