import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { announcing } from "./commit/announce.ts";
import { countingCommit, countingRecord } from "./commit/counting.ts";
import { type Commit, groupCommit, type QueueLimits } from "./commit/group-commit.ts";
import type { Sink } from "./commit/sink.ts";
import { appending, type Recorder, type Recording } from "./observe/append.ts";
import { chargeSteps } from "./request/admission.ts";
import type { BodyLimits } from "./request/body/body.ts";
import { type KeyFinder, keyFinder } from "./request/keys.ts";
import { memoryBudget, type Reservation } from "./request/memory-budget.ts";
import { type TokenBucket, tokenBucket } from "./request/token-bucket.ts";
import { type Redaction, redaction } from "./rules/redaction.ts";
import { databaseSink } from "./store/database-sink.ts";

/** Bounds that only tests and benches set otherwise. */
export interface IngestOptions extends QueueLimits, BodyLimits {
  /** Bytes of bodies of one organization held at once, from the first byte read to the answer; of all twice as many. */
  maxInFlight: number;
  sink: Sink;
}

/** The parts of the ingestion API. */
export interface Ingestion {
  runtime: Runtime;
  keys: KeyFinder;
  requestRate: TokenBucket;
  eventRate: TokenBucket;
  redaction: Redaction;
  reserveMemory: (organizationId: string) => Reservation;
  bodyLimits: BodyLimits;
  commit: Commit;
  /** Makes observations of agents durable. */
  record: Recording;
}

const MIB = 1024 * 1024;

/** Puts the parts together; `options` replace single bounds. */
export function ingestion(runtime: Runtime, options: Partial<IngestOptions>): Ingestion {
  const { config, db } = runtime;
  const maxBytes = options.maxBytes ?? config.INGEST_MAX_BODY;
  const eventRate = tokenBucket(config.INGEST_RATE_EVENTS, config.INGEST_RATE_EVENTS, "ingest-events");
  const recorder: Recorder = {
    db,
    secret: runtime.secret,
    redaction: redaction(config.INGEST_REDACT),
    retentionDays: config.EVENT_RETENTION_DAYS,
    appended: (organizationId) => runtime.projector.soon(organizationId),
    scanned: (key, steps, observations) => chargeSteps({ eventRate }, key, steps, observations),
  };
  const sink = announcing(options.sink ?? databaseSink(db), db);
  return {
    runtime,
    keys: keyFinder(runtime),
    requestRate: tokenBucket(config.INGEST_RATE_REQUESTS, 2 * config.INGEST_RATE_REQUESTS, "ingest-requests"),
    eventRate,
    redaction: recorder.redaction,
    reserveMemory: memoryBudget(options.maxInFlight ?? Math.max(16 * MIB, maxBytes)),
    bodyLimits: { maxBytes, stallMs: options.stallMs ?? 10_000, totalMs: options.totalMs ?? 60_000 },
    commit: countingCommit(
      groupCommit(sink, {
        maxWaiting: options.maxWaiting ?? 2_000,
        maxWaitMs: options.maxWaitMs ?? 10_000,
      }),
    ),
    record: countingRecord(appending(recorder)),
  };
}

/** Answers the requests of a path of ingestion. */
export interface Handler {
  /** Answers a success. @throws AppError or Unavailable for everything else */
  serve(parts: Ingestion, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Answers an error. Undefined stands for an internal error, of which the caller learns nothing more. */
  refuse(request: IncomingMessage, response: ServerResponse, error: AppError | undefined, requestId: string): void;
}
