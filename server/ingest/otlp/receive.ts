import type { IncomingMessage } from "node:http";
import { recordKeyUse } from "../../auth/last-used.ts";
import type { IngestCredential } from "../commit/sink.ts";
import type { Ingestion } from "../ingestion.ts";
import { admitRequest, chargeEvents, chargeSteps, ingestKeyRequiredError } from "../request/admission.ts";
import { checkLength, readBody } from "../request/body/body.ts";
import { checkContentEncoding } from "../request/headers.ts";
import { TELEMETRY_KEY_LOCATION } from "../request/keys.ts";
import type { MemoryReservation } from "../request/memory-budget.ts";
import { type InterpretedExport, MAX_REASONS, SURPLUS_REASON } from "./signals.ts";
import { countAndFilterUnknownSpans } from "./unknown-spans.ts";

/** Result of an accepted export. */
export interface ExportOutcome {
  read: InterpretedExport;
  /** Reasons why records were not stored, by index of the record. */
  refused: ReadonlyMap<number, string>;
  /** Number of accepted spans or log records. The number includes records from which nothing was stored. */
  accepted: number;
}

/** How to read a request's body. */
export interface ExportReader {
  /** Rejects an unsupported media type. @throws AppError 415 */
  checkType(): void;
  /** @throws AppError 400 */
  read(body: Buffer, memory: MemoryReservation): InterpretedExport;
}

/**
 * Handles one export from the key check to the response.
 * @throws AppError or UnavailableError when nothing was stored
 */
export function receiveExport(
  parts: Ingestion,
  request: IncomingMessage,
  reader: ExportReader,
): Promise<ExportOutcome> {
  return admitRequest(parts, {
    text: TELEMETRY_KEY_LOCATION.of(request),
    check() {
      reader.checkType();
      checkContentEncoding(request);
      checkLength(request, parts.bodyLimits);
    },
    work: (key) => store(parts, request, reader, key),
    unauthorized,
  });
}

/** Number of records of an accepted request that were not stored, and a message with the reasons. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

/** Describes the records that were not stored; undefined if all were stored. */
export function describePartialSuccess({
  read: { surplus, remarks },
  refused,
}: ExportOutcome): PartialSuccess | undefined {
  const counts = new Map<string, number>();
  for (const reason of refused.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const words = [...counts].slice(0, MAX_REASONS).map(([reason, count]) => `${count} not kept: ${reason}`);
  if (surplus > 0) words.push(`${surplus} not kept: ${SURPLUS_REASON}`);
  words.push(...remarks);
  if (words.length === 0) return undefined;
  return { rejected: refused.size + surplus, message: words.join("; ") };
}

/** Returns the headers with the record counts of an accepted export. */
export const buildRecordCountHeaders = ({ read, refused, accepted }: ExportOutcome) => ({
  "X-Ingest-Accepted": accepted,
  "X-Ingest-Rejected": refused.size + read.surplus,
  "X-Ingest-Skipped": read.meaningless,
});

const unauthorized = () => ingestKeyRequiredError(TELEMETRY_KEY_LOCATION.where, TELEMETRY_KEY_LOCATION.scheme);

async function store(
  parts: Ingestion,
  request: IncomingMessage,
  reader: ExportReader,
  key: IngestCredential,
): Promise<ExportOutcome> {
  const { limits, memory } = { limits: parts.bodyLimits, memory: parts.reserveMemory(key.organizationId) };
  try {
    const read = await readBody(request, { limits, memory }, (body) => reader.read(body, memory));
    chargeEvents(parts, key, read.sent);
    const scanned = (steps: number) => chargeSteps(parts, key, steps, read.sent);
    read.remarks.push(...(await countAndFilterUnknownSpans(parts.runtime, key, read.unknown, scanned)));
    const refused = await record(parts, key, read);
    if (!key.oauth) recordKeyUse(parts.runtime, "ingestKey", key.hash);
    return { read, refused, accepted: read.sent - read.surplus - refused.size };
  } finally {
    memory.release();
  }
}

/** Stores the observations. Returns the rejected records with the reasons. */
async function record(parts: Ingestion, key: IngestCredential, read: InterpretedExport): Promise<Map<number, string>> {
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
