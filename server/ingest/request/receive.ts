import type { IncomingMessage } from "node:http";
import { noteUse } from "../../auth/last-used.ts";
import { AppError, authenticationError, rateLimited, STATUS } from "../../errors.ts";
import { giveBuffer, takeBuffer } from "../capture/context.ts";
import type { Answer, Capture, Endpoint, Observed } from "../capture/endpoints.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import { recordObservations } from "../observe/index.ts";
import type { Writer } from "../tuple/index.ts";
import { readBody, tooLarge } from "./body.ts";
import { checkMediaType } from "./headers.ts";
import { presentedKey } from "./keys.ts";

/**
 * Takes one request from its key to its answer. The checks come in the order that docs/ingest.md gives: key, rate, type,
 * size, content.
 * @throws AppError or Unavailable for everything that is not a success
 */
export async function receive(parts: Ingestion, endpoint: Endpoint, request: IncomingMessage): Promise<Answer> {
  const text = presentedKey(request);
  const key = await parts.keys.find(text);
  if (!key) throw unauthorized();
  try {
    checkRates(parts, key);
    checkMediaType(request);
    return await store(parts, endpoint, request, key);
  } catch (error) {
    if (!mayHideDeletion(error) || (await parts.keys.exists(key))) throw error;
    parts.keys.forget(text);
    throw unauthorized();
  }
}

async function store(parts: Ingestion, endpoint: Endpoint, request: IncomingMessage, key: IngestKey): Promise<Answer> {
  const { maxBytes } = parts.bodyLimits;
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const memory = parts.reserveMemory();
  let tuples: Writer | undefined;
  try {
    const { work, bytes } = await readBody(request, { limits: parts.bodyLimits, memory }, (body) => {
      tuples = takeBuffer(body.length);
      const { organizationId } = key;
      const context = { now: Date.now(), organizationId, redaction: parts.redaction, tuples };
      return { work: endpoint(body, context), bytes: body.length };
    });
    const done = "observations" in work ? await record(parts, key, work) : await commit(parts, key, work, bytes);
    noteUse(parts.runtime, "ingestKey", key.hash);
    return done;
  } finally {
    if (tuples) giveBuffer(tuples);
    memory.release();
  }
}

async function commit(parts: Ingestion, key: IngestKey, capture: Capture, bytes: number): Promise<Answer> {
  parts.eventRate.take(key.id, capture.sent);
  const { session, events } = capture;
  const outcome = await parts.commits.submit({ key, session, events, bytes });
  if (outcome.key === "deleted") throw unauthorized();
  return capture.answer(outcome);
}

async function record(parts: Ingestion, key: IngestKey, { observations, answer }: Observed): Promise<Answer> {
  parts.eventRate.take(key.id, observations.length);
  const { redaction, runtime } = parts;
  const recorded = await recordObservations({ db: runtime.db, redaction }, key, observations);
  if (recorded.key === "deleted") throw unauthorized();
  return answer(recorded.rejected);
}

/** One same answer, whatever is wrong with the key. */
const unauthorized = () =>
  authenticationError("A valid ingest key is required in the x-api-key header", { "WWW-Authenticate": "ApiKey" });

/** A key that only a cache still knows gets 401 for every mistake in its request, not the mistake's own answer. */
const mayHideDeletion = (error: unknown) =>
  error instanceof AppError && [400, 401, 413, 415].includes(STATUS[error.kind]);

function checkRates({ requestRate, eventRate }: Ingestion, key: IngestKey): void {
  const id = key.id;
  const wait = Math.max(requestRate.wait(id), eventRate.wait(id));
  if (wait > 0) throw rateLimited(`Too many requests or events with this key; try again in ${wait} s`, wait);
  requestRate.take(id, 1);
}
