import { inParameters } from "../arguments/parameter-names.ts";
import { KeyRefused, ProtocolError, ToolError, Unavailable } from "../errors.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * Work outside a tool, where no result can carry an error: a ToolError becomes a JSON-RPC error of the same text, with
 * the original as its cause: one about the parameters, unless Trackway could not do it.
 */
export async function withProtocolErrors<Value>(work: Promise<Value>, context: RequestContext): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeyRefused) context.onKeyRefused?.();
    if (!(error instanceof ToolError)) throw error;
    const code = error instanceof Unavailable || error instanceof KeyRefused ? -32603 : -32602;
    throw Object.assign(new ProtocolError(code, inParameters(error.message, [])), { cause: error });
  }
}
