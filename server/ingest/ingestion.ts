import type { Runtime } from "../runtime.ts";
import { type Batcher, type BatcherLimits, batcher } from "./batcher.ts";
import type { BodyLimits } from "./body.ts";
import { type Bucket, bucket } from "./bucket.ts";
import { type KeyFinder, keyFinder } from "./keys.ts";
import { type Redaction, redaction } from "./redaction.ts";
import { type Share, shares } from "./share.ts";
import type { Sink } from "./sink.ts";
import { databaseSink } from "./store/sink.ts";

/** Bounds that only tests and benches set otherwise. */
export interface IngestOptions extends BatcherLimits, BodyLimits {
  /** Bytes of bodies held at once, from the first byte read to the answer. */
  maxInFlight: number;
  sink: Sink;
}

/** What the ingestion door works with. */
export interface Ingestion {
  runtime: Runtime;
  keys: KeyFinder;
  requestRate: Bucket;
  eventRate: Bucket;
  redaction: Redaction;
  openShare: () => Share;
  bodyLimits: BodyLimits;
  batcher: Batcher;
}

const MIB = 1024 * 1024;

/** Puts the parts together; `options` replace single bounds. */
export function ingestion(runtime: Runtime, options: Partial<IngestOptions>): Ingestion {
  const { config, db } = runtime;
  const maxBytes = options.maxBytes ?? config.INGEST_MAX_BODY;
  const sink = options.sink ?? databaseSink(db);
  return {
    runtime,
    keys: keyFinder(db),
    requestRate: bucket(config.INGEST_RATE_REQUESTS, 2 * config.INGEST_RATE_REQUESTS),
    eventRate: bucket(config.INGEST_RATE_EVENTS, config.INGEST_RATE_EVENTS),
    redaction: redaction(config.INGEST_REDACT),
    openShare: shares(options.maxInFlight ?? Math.max(16 * MIB, maxBytes)),
    bodyLimits: { maxBytes, stallMs: options.stallMs ?? 10_000, totalMs: options.totalMs ?? 60_000 },
    batcher: batcher(sink, {
      maxWaiting: options.maxWaiting ?? 2_000,
      maxWaitMs: options.maxWaitMs ?? 10_000,
    }),
  };
}
