import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { withWatcherNotifications } from "./commit/announce.ts";
import { withCommitMetrics, withRecordingMetrics } from "./commit/counting.ts";
import { type CommitSubmission, createSubmissionCommit, type QueueLimits } from "./commit/group-commit.ts";
import type { Sink } from "./commit/sink.ts";
import { createObservationRecorder, type RecordingContext, type RecordObservations } from "./observe/append.ts";
import { chargeSteps } from "./request/admission.ts";
import type { BodyLimits } from "./request/body/body.ts";
import { createKeyFinder, type KeyFinder } from "./request/keys.ts";
import { createMemoryBudget, type MemoryReservation } from "./request/memory-budget.ts";
import { createTokenBucket, type TokenBucket } from "./request/token-bucket.ts";
import { type MetadataRedaction, parseRedaction } from "./rules/redaction.ts";
import { databaseSink } from "./store/database-sink.ts";

/** Limits that only tests and benchmarks change. */
export interface IngestOptions extends QueueLimits, BodyLimits {
  /**
   * Maximum total bytes of one organization's request bodies in memory at once. A body counts from its first byte until
   * the response. The limit for all organizations together is twice as high.
   */
  maxInFlight: number;
  sink: Sink;
}

export interface Ingestion {
  runtime: Runtime;
  keys: KeyFinder;
  requestRate: TokenBucket;
  eventRate: TokenBucket;
  redaction: MetadataRedaction;
  reserveMemory: (organizationId: string) => MemoryReservation;
  bodyLimits: BodyLimits;
  commit: CommitSubmission;
  /** Stores observations of agents durably. */
  record: RecordObservations;
}

const MIB = 1024 * 1024;

/** Creates the ingestion API. `options` replaces the default values of individual limits. */
export function createIngestion(runtime: Runtime, options: Partial<IngestOptions>): Ingestion {
  const { config, db } = runtime;
  const maxBytes = options.maxBytes ?? config.INGEST_MAX_BODY;
  const eventRate = createTokenBucket(config.INGEST_RATE_EVENTS, config.INGEST_RATE_EVENTS, "ingest-events");
  const recorder: RecordingContext = {
    db,
    secret: runtime.secret,
    redaction: parseRedaction(config.INGEST_REDACT),
    retentionDays: config.EVENT_RETENTION_DAYS,
    appended: (organizationId) => runtime.projector.soon(organizationId),
    scanned: (key, steps, observations) => chargeSteps({ eventRate }, key, steps, observations),
  };
  const sink = withWatcherNotifications(options.sink ?? databaseSink(db), db);
  return {
    runtime,
    keys: createKeyFinder(runtime),
    requestRate: createTokenBucket(config.INGEST_RATE_REQUESTS, 2 * config.INGEST_RATE_REQUESTS, "ingest-requests"),
    eventRate,
    redaction: recorder.redaction,
    reserveMemory: createMemoryBudget(options.maxInFlight ?? Math.max(16 * MIB, maxBytes)),
    bodyLimits: { maxBytes, stallMs: options.stallMs ?? 10_000, totalMs: options.totalMs ?? 60_000 },
    commit: withCommitMetrics(
      createSubmissionCommit(sink, {
        maxWaiting: options.maxWaiting ?? 2_000,
        maxWaitMs: options.maxWaitMs ?? 10_000,
      }),
    ),
    record: withRecordingMetrics(createObservationRecorder(recorder)),
  };
}

/** Handles the requests to one ingestion path. */
export interface IngestHandler {
  /** Stores the data of a request, and responds that the request succeeded. @throws AppError or UnavailableError if the request fails */
  serve(parts: Ingestion, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Responds with an error. `undefined` stands for an internal error, whose details the caller must not see. */
  refuse(request: IncomingMessage, response: ServerResponse, error: AppError | undefined, requestId: string): void;
}
