import { KeyRefused, ProtocolError, ToolError } from "../errors.ts";
import type { Caller } from "../request-context.ts";

/** Work outside a tool: its failure becomes a JSON-RPC error with the same words, the original as its cause. */
export async function reported<Value>(work: Promise<Value>, caller: Caller): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeyRefused) caller.refused?.();
    if (!(error instanceof ToolError)) throw error;
    throw Object.assign(new ProtocolError(-32603, error.message), { cause: error });
  }
}
