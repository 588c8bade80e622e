/**
 * Thrown when the database is down or busy, or the queue is full, and a retry makes sense. The server responds to
 * requests with 503 and Retry-After.
 */
export class UnavailableError extends Error {
  /** Seconds after which a retry makes sense; a whole number. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnavailableError";
    this.retryAfter = retryAfter;
  }
}

/** Thrown when a statement was ended because of its time limit. */
export class StatementTimeoutError extends UnavailableError {}
