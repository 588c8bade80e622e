/** Thrown when the server cannot start with a database. The message is one line with the cause and the fix. */
export class DatabaseOpenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseOpenError";
  }
}
