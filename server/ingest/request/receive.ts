import type { IncomingMessage } from "node:http";
import { noteUse } from "../../auth/last-used.ts";
import { AppError, authenticationError, rateLimited, STATUS } from "../../errors.ts";
import { giveBuffer, takeBuffer } from "../capture/context.ts";
import type { Answer, Endpoint } from "../capture/endpoints.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Writer } from "../tuple/index.ts";
import { readBody, tooLarge } from "./body.ts";
import { checkMediaType } from "./headers.ts";

/**
 * Takes one request from its key to its answer. The checks come in the order that docs/ingest.md gives: key, rate, type,
 * size, content.
 * @throws AppError or Unavailable for everything that is not a success
 */
export async function receive(parts: Ingestion, endpoint: Endpoint, request: IncomingMessage): Promise<Answer> {
  const text = credentialOf(request);
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

/** The ingest key, or else a bearer, which a token of OAuth is. */
function credentialOf({ headers }: IncomingMessage): string | undefined {
  const presented = headers["x-api-key"];
  if (presented === undefined) return /^Bearer +(trk_oauth_\S+)$/i.exec(headers.authorization ?? "")?.[1];
  return typeof presented === "string" ? presented : undefined;
}

async function store(parts: Ingestion, endpoint: Endpoint, request: IncomingMessage, key: IngestKey): Promise<Answer> {
  const { maxBytes } = parts.bodyLimits;
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const memory = parts.reserveMemory();
  let tuples: Writer | undefined;
  try {
    const { capture, bytes } = await readBody(request, { limits: parts.bodyLimits, memory }, (body) => {
      tuples = takeBuffer(body.length);
      const { organizationId } = key;
      const context = { now: Date.now(), organizationId, redaction: parts.redaction, tuples };
      return { capture: endpoint(body, context), bytes: body.length };
    });
    parts.eventRate.take(key.id, capture.sent);
    const { session, events } = capture;
    const outcome = await parts.commits.submit({ key, session, events, bytes });
    if (outcome.key === "deleted") throw unauthorized();
    if (!key.oauth) noteUse(parts.runtime, "ingestKey", key.hash);
    return capture.answer(outcome);
  } finally {
    if (tuples) giveBuffer(tuples);
    memory.release();
  }
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
