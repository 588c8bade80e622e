import { UnavailableError } from "../../../db/errors/unavailable.ts";
import { incrementCounter } from "../../counters.ts";
import { AppError, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { createRetryAfterBackoff } from "./retry-after.ts";

/** Errors that callers receive. */
export interface CallerErrorMapper {
  /** Returns the error to send to the caller. Logs an unexpected error and returns undefined. */
  of(error: unknown, requestId: string): AppError | undefined;
  /** Call after a successful request. */
  succeeded(): void;
}

/**
 * Creates an object that converts the errors of one server to the errors that callers receive. The longer the server
 * has been rejecting requests as unavailable, the longer the wait in Retry-After.
 */
export function createCallerErrorMapper({ log }: Runtime): CallerErrorMapper {
  const backoff = createRetryAfterBackoff();
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
    const known = error instanceof UnavailableError ? unavailable(error.message) : error;
    if (!(known instanceof AppError)) {
      log.error({ err: error, requestId }, "ingestion failed");
      return undefined;
    }
    if (known.kind !== "unavailable") return known;
    backoff.log(() => log.warn({ err: error }, "ingestion is refusing requests"));
    return unavailable(known.message, backoff.seconds());
  }
}
