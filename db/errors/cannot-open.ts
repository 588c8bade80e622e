/** A database the server cannot start with. The message is one line that names the cause and the cure. */
export class CannotOpen extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CannotOpen";
  }
}
