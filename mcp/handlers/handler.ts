import { z } from "zod";
import { toToolErrorMessage } from "../arguments/parse.ts";
import type { ClientContext, RequestContext } from "../client-context.ts";
import { KeyRefusedError, ProtocolError, ServerUnavailableError, ToolError } from "../errors.ts";

type Result = Record<string, unknown>;
type Handle<Params> = (params: Params, client: ClientContext, signal: AbortSignal) => Result | Promise<Result>;

/** Handler of one method of the protocol. `server.ts` registers the handler with the SDK's server. */
export interface Handler {
  method: string;
  /** Checks only the method. If this schema checked the parameters too, the SDK would respond to faults with -32603. */
  requestSchema: z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodOptional<z.ZodUnknown> }>;
  handle: Handle<unknown>;
}

/**
 * Creates a handler that checks the parameters of each request. The response to a faulty parameter is -32602 with the
 * parameter's name.
 */
export function defineHandler<Params extends z.ZodType>(
  method: string,
  paramsSchema: Params,
  handle: Handle<z.output<Params>>,
): Handler {
  return {
    method,
    requestSchema: z.object({ method: z.literal(method), params: z.unknown().optional() }),
    handle: (params, client, signal) => handle(parseParams(paramsSchema, params ?? {}), client, signal),
  };
}

function parseParams<Params extends z.ZodType>(schema: Params, params: unknown): z.output<Params> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ProtocolError(-32602, `Invalid params: ${issue?.path.join(".") || "params"}: ${issue?.message}`);
}

/**
 * Converts a ToolError into a JSON-RPC error with the same text. Used for work outside a tool, where a result cannot
 * contain an error. The error code says that the parameters are wrong, unless the Trackway server was unavailable or
 * refused the key.
 */
export async function withProtocolErrors<Value>(work: Promise<Value>, context: RequestContext): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeyRefusedError) context.onKeyRefused?.();
    if (!(error instanceof ToolError)) throw error;
    const code = error instanceof ServerUnavailableError || error instanceof KeyRefusedError ? -32603 : -32602;
    throw Object.assign(new ProtocolError(code, toToolErrorMessage(error.message, [])), { cause: error });
  }
}
