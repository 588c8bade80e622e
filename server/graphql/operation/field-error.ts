/** What went wrong in one root field: where, and (its cause) what. */
export class FieldError extends Error {
  readonly path: readonly (string | number)[];

  constructor(key: string, cause: unknown) {
    super("a field failed", { cause });
    this.path = [key];
  }
}
