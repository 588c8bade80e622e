import type { IncomingMessage } from "node:http";
import { noteUse } from "../../auth/last-used.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import { admit, chargeEvents, chargeSteps, keyRequired } from "../request/admission.ts";
import { checkLength, readBody } from "../request/body/body.ts";
import { checkCoding } from "../request/headers.ts";
import { TELEMETRY_KEY } from "../request/keys.ts";
import type { Reservation } from "../request/memory-budget.ts";
import { type ReadExport, surplusWords } from "./signals.ts";
import { countUnknown } from "./unknown-spans.ts";

/** The result of an accepted export. */
export interface Outcome {
  read: ReadExport;
  /** The records that were not kept, by their place, and why. */
  refused: ReadonlyMap<number, string>;
  /** Spans or log records that were accepted, those without anything to record among them. */
  accepted: number;
}

/** The way in which a request's body is read. */
export interface Reader {
  /** Refuses a type that is not taken. @throws AppError 415 */
  checkType(): void;
  /** @throws AppError 400 */
  read(body: Buffer, memory: Reservation): ReadExport;
}

/**
 * Takes one export from its key to its answer.
 * @throws AppError or Unavailable when nothing of it was taken
 */
export function receiveExport(parts: Ingestion, request: IncomingMessage, reader: Reader): Promise<Outcome> {
  return admit(parts, {
    text: TELEMETRY_KEY.of(request),
    check() {
      reader.checkType();
      checkCoding(request);
      checkLength(request, parts.bodyLimits);
    },
    work: (key) => store(parts, request, reader, key),
    unauthorized,
  });
}

/** The records of an accepted request that were not kept. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

/** Reasons that an answer names; further ones are counted only. */
const MAX_REASONS = 5;

/** The part of an export that was not kept; undefined when all was. */
export function partialSuccess({ read: { surplus, remarks }, refused }: Outcome): PartialSuccess | undefined {
  const counts = new Map<string, number>();
  for (const reason of refused.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const words = [...counts].slice(0, MAX_REASONS).map(([reason, count]) => `${count} not kept: ${reason}`);
  if (surplus > 0) words.push(`${surplus} not kept: ${surplusWords}`);
  words.push(...remarks);
  if (words.length === 0) return undefined;
  return { rejected: refused.size + surplus, message: words.join("; ") };
}

/** The headers that count the records of an accepted export. */
export const countsOf = ({ read, refused, accepted }: Outcome) => ({
  "X-Ingest-Accepted": accepted,
  "X-Ingest-Rejected": refused.size + read.surplus,
  "X-Ingest-Skipped": read.meaningless,
});

const unauthorized = () => keyRequired(TELEMETRY_KEY.where, TELEMETRY_KEY.scheme);

async function store(parts: Ingestion, request: IncomingMessage, reader: Reader, key: IngestKey): Promise<Outcome> {
  const { limits, memory } = { limits: parts.bodyLimits, memory: parts.reserveMemory(key.organizationId) };
  try {
    const read = await readBody(request, { limits, memory }, (body) => reader.read(body, memory));
    chargeEvents(parts, key, read.sent);
    const scanned = (steps: number) => chargeSteps(parts, key, steps, read.sent);
    read.remarks.push(...(await countUnknown(parts.runtime, key, read.unknown, scanned)));
    const refused = await record(parts, key, read);
    if (!key.oauth) noteUse(parts.runtime, "ingestKey", key.hash);
    return { read, refused, accepted: read.sent - read.surplus - refused.size };
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
