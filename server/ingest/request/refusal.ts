import { Unavailable } from "../../../db/errors/unavailable.ts";
import { count } from "../../counters.ts";
import { AppError, unavailable } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { retryAfter } from "./retry-after.ts";

/** The errors that callers see. */
export interface Refusals {
  /** The refusal for an error; undefined for an internal one, which is logged. */
  of(error: unknown, requestId: string): AppError | undefined;
  /** Call when something succeeded. */
  succeeded(): void;
}

/** Refusals of one server: the longer it refuses, the longer callers are asked to wait. */
export function refusals({ log }: Runtime): Refusals {
  const backoff = retryAfter();
  return {
    of(error, requestId) {
      const refused = refusalOf(error, requestId);
      count("ingest_requests_refused_total", refused ? (refused.details.tag ?? refused.kind) : "internal_error");
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
