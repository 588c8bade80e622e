import { KeyRefused, ProtocolError, ToolError } from "../errors.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Work outside a tool, where no result can carry an error: a ToolError becomes a JSON-RPC error of the same text, with
 * the original as its cause.
 */
export async function withProtocolErrors<Value>(work: Promise<Value>, context: RequestContext): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeyRefused) context.onKeyRefused?.();
    if (!(error instanceof ToolError)) throw error;
    throw Object.assign(new ProtocolError(-32603, error.message), { cause: error });
  }
}
