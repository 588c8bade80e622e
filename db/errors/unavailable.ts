/**
 * The database is down, busy or its queue is full, and another try makes sense. Requests are answered 503 with
 * Retry-After.
 */
export class Unavailable extends Error {
  /** Whole seconds after which another try makes sense. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = "Unavailable";
    this.retryAfter = retryAfter;
  }
}

/** A statement was ended because it took longer than it may. */
export class TookTooLong extends Unavailable {}
