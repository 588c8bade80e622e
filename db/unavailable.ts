/** Trouble that passes: the database is down, busy or its queue is full. Doors answer 503 with Retry-After. */
export class Unavailable extends Error {
  /** Whole seconds after which another try makes sense. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = "Unavailable";
    this.retryAfter = retryAfter;
  }
}
