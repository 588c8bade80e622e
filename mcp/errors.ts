/** A failure the model is told about: the cause, then the next step, in one or two sentences. */
export class ToolError extends Error {}

/** The caller's personal key was refused; over HTTP this becomes a 401. */
export class KeyRefused extends ToolError {}

/** What was named does not exist, or not for this caller; a resource that is read so has an error code of its own. */
export class NotFound extends ToolError {}

/** Something with this id or name is there already, and differs. */
export class Conflict extends ToolError {}

/** A JSON-RPC error with its own code, for what is wrong with the request and not with the call. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}
