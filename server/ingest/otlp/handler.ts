import type { IncomingMessage } from "node:http";
import { noteUse } from "../../auth/last-used.ts";
import { AppError } from "../../errors.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Handler, Ingestion } from "../ingestion.ts";
import { admit, chargeEvents, keyRequired } from "../request/admission.ts";
import { checkLength, readBody } from "../request/body/body.ts";
import { checkCoding, unsupportedType } from "../request/headers.ts";
import { TELEMETRY_KEY } from "../request/keys.ts";
import { answer } from "../request/response.ts";
import {
  type Encoding,
  encodeError,
  encodeInternal,
  encodeSuccess,
  encodingOf,
  type PartialSuccess,
} from "./encoding.ts";
import { otlpSignals, type ReadExport, type Signal, surplusWords } from "./signals.ts";

/** The paths of OTLP over HTTP. */
export const otlpPaths: readonly string[] = [...otlpSignals.keys()];

/** The handler of OTLP at a path; undefined for other paths. */
export function otlpHandler(path: string): Handler | undefined {
  const signal = otlpSignals.get(path);
  if (!signal) return undefined;
  return {
    async serve(parts, request, response) {
      if (request.method !== "POST") throw onlyPost();
      const { partial, accepted, skipped } = await receiveExport(parts, signal, request);
      const { body, headers } = encodeSuccess(encodingOf(request) ?? "json", signal.rejectedField, partial);
      const counts = {
        "X-Ingest-Accepted": accepted,
        "X-Ingest-Rejected": partial?.rejected ?? 0,
        "X-Ingest-Skipped": skipped,
      };
      answer(response, 200, body, { ...headers, ...counts });
    },
    refuse(request, response, error) {
      const encoding = encodingOf(request) ?? "json";
      const { status, body, headers } = error ? encodeError(encoding, error) : encodeInternal(encoding);
      answer(response, status, body, headers);
    },
  };
}

const onlyPost = () =>
  new AppError("method", "Only POST is allowed here", { tag: "method_not_allowed", headers: { Allow: "POST" } });

/** The result of an accepted export. */
interface Outcome {
  /** The records that were not kept; undefined when all were. */
  partial: PartialSuccess | undefined;
  /** Numbers of spans or log records: those accepted, and those among them without anything to record. */
  accepted: number;
  skipped: number;
}

/**
 * Takes one export from its key to its answer.
 * @throws AppError or Unavailable when nothing of it was taken
 */
function receiveExport(parts: Ingestion, signal: Signal, request: IncomingMessage): Promise<Outcome> {
  return admit(parts, {
    text: TELEMETRY_KEY.of(request),
    check() {
      if (!encodingOf(request)) throw unsupportedType("application/json or application/x-protobuf");
      checkCoding(request);
      checkLength(request, parts.bodyLimits);
    },
    work: (key) => store(parts, signal, request, key),
    unauthorized,
  });
}

const unauthorized = () => keyRequired(TELEMETRY_KEY.where, TELEMETRY_KEY.scheme);

async function store(parts: Ingestion, signal: Signal, request: IncomingMessage, key: IngestKey): Promise<Outcome> {
  const { limits, memory } = { limits: parts.bodyLimits, memory: parts.reserveMemory() };
  const encoding: Encoding = encodingOf(request) ?? "json";
  try {
    const read = await readBody(request, { limits, memory }, (body) => signal.read(body, encoding));
    chargeEvents(parts, key, read.sent);
    const rejected = await record(parts, key, read);
    if (!key.oauth) noteUse(parts.runtime, "ingestKey", key.hash);
    const accepted = read.sent - read.surplus - rejected.size;
    return { partial: partialSuccess(read, rejected), accepted, skipped: read.meaningless };
  } finally {
    memory.release();
  }
}

/** Stores the observations. Answers the records that were refused, and why. */
async function record(parts: Ingestion, key: IngestKey, read: ReadExport): Promise<Map<number, string>> {
  const { observations, origins } = read;
  if (observations.length === 0) {
    if (await parts.keys.exists(key)) return read.refused;
    throw unauthorized();
  }
  const recorded = await parts.record(key, observations);
  if (recorded.key === "deleted") throw unauthorized();
  const refused = new Map(read.refused);
  for (const { index, reason } of recorded.rejected) {
    const origin = origins[index];
    if (origin !== undefined && !refused.has(origin)) refused.set(origin, reason);
  }
  return refused;
}

/** Reasons that an answer names; further ones are counted only. */
const MAX_REASONS = 5;

function partialSuccess({ surplus, remarks }: ReadExport, refused: Map<number, string>): PartialSuccess | undefined {
  const counts = new Map<string, number>();
  for (const reason of refused.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const words = [...counts].slice(0, MAX_REASONS).map(([reason, count]) => `${count} not kept: ${reason}`);
  if (surplus > 0) words.push(`${surplus} not kept: ${surplusWords}`);
  words.push(...remarks);
  if (words.length === 0) return undefined;
  return { rejected: refused.size + surplus, message: words.join("; ") };
}
