import type { IncomingMessage } from "node:http";
import { noteUse } from "../../auth/last-used.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import { admit, chargeEvents, keyRequired } from "../request/admission.ts";
import { checkLength, readBody } from "../request/body/body.ts";
import { checkCoding, unsupportedType } from "../request/headers.ts";
import { TELEMETRY_KEY } from "../request/keys.ts";
import type { Encoding, PartialSuccess } from "./encoding.ts";
import { encodingOf } from "./encoding.ts";
import { type ReadExport, type Signal, surplusWords } from "./signals.ts";

/** The result of an accepted export. */
export interface Outcome {
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
export function receiveExport(parts: Ingestion, signal: Signal, request: IncomingMessage): Promise<Outcome> {
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
