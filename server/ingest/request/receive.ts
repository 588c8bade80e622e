import type { IncomingMessage } from "node:http";
import { noteUse } from "../../auth/last-used.ts";
import { giveBuffer, takeBuffer } from "../capture/context.ts";
import type { Answer, Endpoint } from "../capture/endpoints.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import type { Writer } from "../tuple/index.ts";
import { admit, keyRequired } from "./admission.ts";
import { checkLength, readBody } from "./body.ts";
import { checkMediaType } from "./headers.ts";

/**
 * Takes one request of a capture endpoint from its key to its answer.
 * @throws AppError or Unavailable for everything that is not a success
 */
export async function receive(parts: Ingestion, endpoint: Endpoint, request: IncomingMessage): Promise<Answer> {
  const presented = request.headers["x-api-key"];
  return admit(parts, {
    text: typeof presented === "string" ? presented : undefined,
    check: () => checkMediaType(request),
    work: (key) => store(parts, endpoint, request, key),
    unauthorized,
  });
}

async function store(parts: Ingestion, endpoint: Endpoint, request: IncomingMessage, key: IngestKey): Promise<Answer> {
  checkLength(request, parts.bodyLimits);
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
    noteUse(parts.runtime, "ingestKey", key.hash);
    return capture.answer(outcome);
  } finally {
    if (tuples) giveBuffer(tuples);
    memory.release();
  }
}

const unauthorized = () => keyRequired("in the x-api-key header", "ApiKey");
