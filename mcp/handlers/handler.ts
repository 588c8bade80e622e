import { z } from "zod";
import { inParameters } from "../arguments/parse.ts";
import type { ClientContext, RequestContext } from "../client-context.ts";
import { KeyRefused, ProtocolError, ToolError, Unavailable } from "../errors.ts";

type Result = Record<string, unknown>;
type Handle<Params> = (params: Params, client: ClientContext, signal: AbortSignal) => Result | Promise<Result>;

/** One method of the protocol, as `server.ts` registers it with the SDK's server. */
export interface Handler {
  method: string;
  /** Names the method and leaves the parameters alone: those the SDK finds fault with, it answers with -32603. */
  requestSchema: z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodOptional<z.ZodUnknown> }>;
  handle: Handle<unknown>;
}

/** Makes a handler whose parameters are checked first; the first bad one is answered with -32602 and its name. */
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
