import type { IncomingMessage } from "node:http";
import { switchesOf } from "../../accounts/switches.ts";
import { noteUse } from "../../auth/last-used.ts";
import { type Scan, TAKES_LONG } from "../../scans/index.ts";
import { type BodyContext, giveBuffer, takeBuffer } from "../capture/context.ts";
import type { Answer, Capture, Endpoint, Observed, Question } from "../capture/endpoints.ts";
import type { IngestKey, Outcome, Submission } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Writer } from "../tuple/index.ts";
import { admit, chargeEvents, chargeSteps, keyRequired } from "./admission.ts";
import { checkLength, readBody } from "./body/body.ts";
import { checkMediaType, hostOf } from "./headers.ts";
import type { KeyPlace } from "./keys.ts";

/**
 * Takes one request of a capture endpoint from its key to its answer.
 * @throws AppError or Unavailable for everything that is not a success
 */
export function receive(
  parts: Ingestion,
  endpoint: Endpoint,
  request: IncomingMessage,
  { of, where, scheme }: KeyPlace,
): Promise<Answer> {
  const unauthorized = () => keyRequired(where, scheme);
  return admit(parts, {
    text: of(request),
    check: () => checkMediaType(request),
    work: (key) => store(parts, endpoint, request, { key, unauthorized }),
    unauthorized,
  });
}

interface Bearer {
  key: IngestKey;
  /** The error for a key that was deleted. */
  unauthorized(): Error;
}

async function store(parts: Ingestion, endpoint: Endpoint, request: IncomingMessage, bearer: Bearer): Promise<Answer> {
  const { key } = bearer;
  checkLength(request, parts.bodyLimits);
  const memory = parts.reserveMemory(key.organizationId);
  let tuples: Writer | undefined;
  try {
    const { scanner, prices } = await switchesOf(parts.runtime, key.organizationId);
    const fixed = { organizationId: key.organizationId, redaction: parts.redaction, prices, host: hostOf(request) };
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

/** The work of a body; or a copy of the body where a text takes long, so that other bodies are read meanwhile. */
async function readQuickly(endpoint: Endpoint, body: Buffer, context: BodyContext): Promise<Work | Buffer> {
  try {
    return await endpoint(body, context);
  } catch (error) {
    if (error !== TAKES_LONG) throw error;
    return Buffer.from(body);
  }
}

/** Its steps are charged also when all of the body is refused. */
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
  work: Capture | Observed | Question,
  sender: Sender,
): Promise<Answer> {
  if ("ask" in work) return work.ask(parts.runtime.db, bearer.key.organizationId);
  if ("observations" in work) return record(parts, bearer, work);
  return answerOf(work, bearer, await parts.commit(submissionOf(parts, sender, work)));
}

type Sender = Pick<Submission, "key" | "scanner" | "bytes">;

/** @throws AppError 429 when its key has no events left */
function submissionOf(parts: Ingestion, sender: Sender, { sent, session, events }: Capture): Submission {
  chargeEvents(parts, sender.key, sent);
  return { session, events, ...sender };
}

function answerOf(capture: Capture, { unauthorized }: Bearer, outcome: Outcome): Answer {
  if (outcome.key === "deleted") throw unauthorized();
  return capture.answer(outcome);
}

async function record(
  parts: Ingestion,
  { key, unauthorized }: Bearer,
  { observations, answer }: Observed,
): Promise<Answer> {
  chargeEvents(parts, key, observations.length);
  const recorded = await parts.record(key, observations);
  if (recorded.key === "deleted") throw unauthorized();
  return answer(recorded.rejected);
}
