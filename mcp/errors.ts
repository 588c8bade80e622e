/** A failure shown to the model: the cause, then the next step, in one or two sentences. */
export class ToolError extends Error {}

/** Trackway refused the personal key; over HTTP this becomes a 401. */
export class KeyRefused extends ToolError {}

/** Trackway did not do it, for a reason that is none of the caller's: it is busy, away or broken. */
export class Unavailable extends ToolError {}

/** The named thing does not exist, or not for this key. Reading such a resource has an error code of its own. */
export class NotFound extends ToolError {}

/** Something else has this id or name already. */
export class Conflict extends ToolError {}

/**
 * A JSON-RPC error, for what is wrong with the request and not with the call of a tool. The SDK's McpError would put
 * "MCP error" and the code before every message.
 */
export class ProtocolError extends Error {
  readonly code: number;
  readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}
