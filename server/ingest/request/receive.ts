import type { IncomingMessage } from "node:http";
import { readRecordingSettings } from "../../accounts/switches.ts";
import { noteUse } from "../../auth/last-used.ts";
import { type Scan, TAKES_LONG } from "../../scans/index.ts";
import { type BodyContext, giveBuffer, takeBuffer } from "../capture/context.ts";
import type { CapturedBody, CaptureResponse, Endpoint, ObservedBody, Question } from "../capture/endpoints.ts";
import type { IngestKey, Submission, SubmissionOutcome } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Writer } from "../tuple/index.ts";
import { admitRequest, chargeEvents, chargeSteps, keyRequired } from "./admission.ts";
import { checkLength, readBody } from "./body/body.ts";
import { checkMediaType, readHost } from "./headers.ts";
import type { KeyPlace } from "./keys.ts";

/**
 * Handles one request of a capture endpoint from the key check to the response.
 * @throws AppError or Unavailable for everything except success
 */
export function receiveCapture(
  parts: Ingestion,
  endpoint: Endpoint,
  request: IncomingMessage,
  { of, where, scheme }: KeyPlace,
): Promise<CaptureResponse> {
  const unauthorized = () => keyRequired(where, scheme);
  return admitRequest(parts, {
    text: of(request),
    check: () => checkMediaType(request),
    work: (key) => store(parts, endpoint, request, { key, unauthorized }),
    unauthorized,
  });
}

interface Bearer {
  key: IngestKey;
  /** Error for a deleted key. */
  unauthorized(): Error;
}

async function store(
  parts: Ingestion,
  endpoint: Endpoint,
  request: IncomingMessage,
  bearer: Bearer,
): Promise<CaptureResponse> {
  const { key } = bearer;
  checkLength(request, parts.bodyLimits);
  const memory = parts.reserveMemory(key.organizationId);
  let tuples: Writer | undefined;
  try {
    const { scanner, prices } = await readRecordingSettings(parts.runtime, key.organizationId);
    const fixed = { organizationId: key.organizationId, redaction: parts.redaction, prices, host: readHost(request) };
    const read = await readBody(request, { limits: parts.bodyLimits, memory }, async (body) => {
      tuples = takeBuffer(body.length);
      const context = { ...fixed, now: Date.now(), tuples, scan: scanner.quick() };
      return { context, bytes: body.length, work: await readQuickly(endpoint, body, context) };
    });
    const { work, context, bytes } = read;
    const scan = Buffer.isBuffer(work) ? scanner.patient() : context.scan;
    const own = Buffer.isBuffer(work) ? await readPatiently(parts, endpoint, work, { key, context, scan }) : work;
    chargeSteps(parts, key, scan.steps(), "sent" in own ? own.sent : 0);
    const done = await answerTo(parts, bearer, own, { key, scanner, bytes });
    if (!key.oauth) noteUse(parts.runtime, "ingestKey", key.hash);
    return done;
  } finally {
    if (tuples) giveBuffer(tuples);
    memory.release();
  }
}

type Work = Awaited<ReturnType<Endpoint>>;

/**
 * Reads a body. If a text takes long to scan, returns a copy of the body instead, so that other bodies can be read in
 * the meantime.
 */
async function readQuickly(endpoint: Endpoint, body: Buffer, context: BodyContext): Promise<Work | Buffer> {
  try {
    return await endpoint(body, context);
  } catch (error) {
    if (error !== TAKES_LONG) throw error;
    return Buffer.from(body);
  }
}

/** Charges the steps even if the whole body is rejected. */
async function readPatiently(
  parts: Ingestion,
  endpoint: Endpoint,
  body: Buffer,
  { key, context, scan }: { key: IngestKey; context: BodyContext; scan: Scan },
): Promise<Work> {
  context.tuples.at = 0;
  try {
    return await endpoint(body, { ...context, scan });
  } catch (error) {
    chargeSteps(parts, key, scan.steps(), 0);
    throw error;
  }
}

async function answerTo(
  parts: Ingestion,
  bearer: Bearer,
  work: CapturedBody | ObservedBody | Question,
  sender: Sender,
): Promise<CaptureResponse> {
  if ("ask" in work) return work.ask(parts.runtime.db, bearer.key.organizationId);
  if ("observations" in work) return record(parts, bearer, work);
  return answerOf(work, bearer, await parts.commit(submissionOf(parts, sender, work)));
}

type Sender = Pick<Submission, "key" | "scanner" | "bytes">;

/** @throws AppError 429 when the key has no events left */
function submissionOf(parts: Ingestion, sender: Sender, { sent, session, events }: CapturedBody): Submission {
  chargeEvents(parts, sender.key, sent);
  return { session, events, ...sender };
}

function answerOf(capture: CapturedBody, { unauthorized }: Bearer, outcome: SubmissionOutcome): CaptureResponse {
  if (outcome.key === "deleted") throw unauthorized();
  return capture.answer(outcome);
}

async function record(
  parts: Ingestion,
  { key, unauthorized }: Bearer,
  { observations, answer }: ObservedBody,
): Promise<CaptureResponse> {
  chargeEvents(parts, key, observations.length);
  const recorded = await parts.record(key, observations);
  if (recorded.key === "deleted") throw unauthorized();
  return answer(recorded.rejected);
}
