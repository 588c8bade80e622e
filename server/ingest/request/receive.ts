import type { IncomingMessage } from "node:http";
import { switchesOf } from "../../accounts/switches.ts";
import { noteUse } from "../../auth/last-used.ts";
import { giveBuffer, takeBuffer } from "../capture/context.ts";
import type { Answer, Capture, Endpoint, Observed, Question } from "../capture/endpoints.ts";
import type { IngestKey, Outcome, Submission } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Writer } from "../tuple/index.ts";
import { admit, chargeEvents, keyRequired } from "./admission.ts";
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
  const memory = parts.reserveMemory();
  let tuples: Writer | undefined;
  try {
    const { redactor, prices } = await switchesOf(parts.runtime, key.organizationId);
    const { work, bytes } = await readBody(request, { limits: parts.bodyLimits, memory }, async (body) => {
      tuples = takeBuffer(body.length);
      const { organizationId } = key;
      const context = {
        now: Date.now(),
        organizationId,
        redaction: parts.redaction,
        redactor,
        prices,
        tuples,
        host: hostOf(request),
      };
      return { work: await endpoint(body, context), bytes: body.length };
    });
    const done = await answerTo(parts, bearer, work, { key, redactor, bytes });
    if (!key.oauth) noteUse(parts.runtime, "ingestKey", key.hash);
    return done;
  } finally {
    if (tuples) giveBuffer(tuples);
    memory.release();
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

type Sender = Pick<Submission, "key" | "redactor" | "bytes">;

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
