/** Error for the model: cause and next step in one or two sentences. */
export class ToolError extends Error {}

/** The Trackway server refused the personal key. The HTTP response is a 401. */
export class KeyRefusedError extends ToolError {}

/** The Trackway server is busy, unreachable or has an internal error. The caller is not the cause. */
export class ServerUnavailableError extends ToolError {}

/** The named object does not exist, or this key may not read the object. A missing resource has its own error code. */
export class NotFoundError extends ToolError {}

/** Another object already has this id or name. */
export class ConflictError extends ToolError {}

/**
 * JSON-RPC error for a faulty request, not for a failed tool call. The SDK's `McpError` would put "MCP error" and the
 * code before every message.
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
