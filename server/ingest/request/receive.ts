import type { IncomingMessage } from "node:http";
import { readRecordingSettings } from "../../accounts/switches.ts";
import { recordKeyUse } from "../../auth/last-used.ts";
import { type RequestScan, SCAN_TAKES_LONG_ERROR } from "../../scans/index.ts";
import { type BodyContext, borrowTupleBuffer, returnTupleBuffer } from "../capture/context.ts";
import type {
  CapturedBody,
  CaptureResponse,
  ClientQuestion,
  IngestEndpoint,
  ObservationsBody,
} from "../capture/endpoints.ts";
import type { IngestCredential, Submission, SubmissionOutcome } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Writer } from "../tuple/index.ts";
import { admitRequest, chargeEvents, chargeSteps, ingestKeyRequiredError } from "./admission.ts";
import { checkLength, readBody } from "./body/body.ts";
import { checkMediaType, readHookHostName } from "./headers.ts";
import type { KeyLocation } from "./keys.ts";

/**
 * Handles one request of a capture endpoint from the key check to the response.
 * @throws AppError or UnavailableError for everything except success
 */
export function receiveCapture(
  parts: Ingestion,
  endpoint: IngestEndpoint,
  request: IncomingMessage,
  { of, where, scheme }: KeyLocation,
): Promise<CaptureResponse> {
  const unauthorized = () => ingestKeyRequiredError(where, scheme);
  return admitRequest(parts, {
    text: of(request),
    check: () => checkMediaType(request),
    work: (key) => store(parts, endpoint, request, { key, unauthorized }),
    unauthorized,
  });
}

interface Bearer {
  key: IngestCredential;
  /** Error for a deleted key. */
  unauthorized(): Error;
}

async function store(
  parts: Ingestion,
  endpoint: IngestEndpoint,
  request: IncomingMessage,
  bearer: Bearer,
): Promise<CaptureResponse> {
  const { key } = bearer;
  checkLength(request, parts.bodyLimits);
  const memory = parts.reserveMemory(key.organizationId);
  let tuples: Writer | undefined;
  try {
    const { scanner, prices } = await readRecordingSettings(parts.runtime, key.organizationId);
    const fixed = {
      organizationId: key.organizationId,
      redaction: parts.redaction,
      prices,
      host: readHookHostName(request),
    };
    const read = await readBody(request, { limits: parts.bodyLimits, memory }, async (body) => {
      tuples = borrowTupleBuffer(body.length);
      const context = { ...fixed, now: Date.now(), tuples, scan: scanner.quick() };
      return { context, bytes: body.length, work: await readQuickly(endpoint, body, context) };
    });
    const { work, context, bytes } = read;
    const scan = Buffer.isBuffer(work) ? scanner.patient() : context.scan;
    const own = Buffer.isBuffer(work) ? await readPatiently(parts, endpoint, work, { key, context, scan }) : work;
    chargeSteps(parts, key, scan.steps(), "sent" in own ? own.sent : 0);
    const done = await answerTo(parts, bearer, own, { key, scanner, bytes });
    if (!key.oauth) recordKeyUse(parts.runtime, "ingestKey", key.hash);
    return done;
  } finally {
    if (tuples) returnTupleBuffer(tuples);
    memory.release();
  }
}

type Work = Awaited<ReturnType<IngestEndpoint>>;

/**
 * Reads a body. If a text would take too long to scan, returns a copy of the body, which is read later. Other bodies
 * can be read in the meantime.
 */
async function readQuickly(endpoint: IngestEndpoint, body: Buffer, context: BodyContext): Promise<Work | Buffer> {
  try {
    return await endpoint(body, context);
  } catch (error) {
    if (error !== SCAN_TAKES_LONG_ERROR) throw error;
    return Buffer.from(body);
  }
}

/**
 * Reads a body whose texts take long to scan. If the whole body is rejected, the steps of the scan are still charged.
 */
async function readPatiently(
  parts: Ingestion,
  endpoint: IngestEndpoint,
  body: Buffer,
  { key, context, scan }: { key: IngestCredential; context: BodyContext; scan: RequestScan },
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
  work: CapturedBody | ObservationsBody | ClientQuestion,
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
  { observations, answer }: ObservationsBody,
): Promise<CaptureResponse> {
  chargeEvents(parts, key, observations.length);
  const recorded = await parts.record(key, observations);
  if (recorded.key === "deleted") throw unauthorized();
  return answer(recorded.rejected);
}
