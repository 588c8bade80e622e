/** The failure of one root field: its path in the response; the cause says what went wrong. */
export class FieldError extends Error {
  readonly path: readonly (string | number)[];

  constructor(key: string, cause: unknown) {
    super("a field failed", { cause });
    this.path = [key];
  }
}
