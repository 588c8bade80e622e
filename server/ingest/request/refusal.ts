import { Unavailable } from "../../../db/errors/unavailable.ts";
import { incrementCounter } from "../../counters.ts";
import { AppError, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { createRetryAfter } from "./retry-after.ts";

/** Errors that callers receive. */
export interface Refusals {
  /** Returns the error for the caller. Logs an internal error and returns undefined. */
  of(error: unknown, requestId: string): AppError | undefined;
  /** Call after a successful request. */
  succeeded(): void;
}

/**
 * Creates the errors of one server. The longer the server rejects requests, the longer Retry-After asks callers to
 * wait.
 */
export function createRefusals({ log }: Runtime): Refusals {
  const backoff = createRetryAfter();
  return {
    of(error, requestId) {
      const refused = refusalOf(error, requestId);
      incrementCounter(
        "ingest_requests_refused_total",
        refused ? (refused.details.tag ?? refused.kind) : "internal_error",
      );
      return refused;
    },
    succeeded: backoff.succeeded,
  };

  function refusalOf(error: unknown, requestId: string): AppError | undefined {
    const known = error instanceof Unavailable ? unavailable(error.message) : error;
    if (!(known instanceof AppError)) {
      log.error({ err: error, requestId }, "ingestion failed");
      return undefined;
    }
    if (known.kind !== "unavailable") return known;
    backoff.log(() => log.warn({ err: error }, "ingestion is refusing requests"));
    return unavailable(known.message, backoff.seconds());
  }
}
