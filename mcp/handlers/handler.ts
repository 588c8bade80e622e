import { z } from "zod";
import type { ClientContext } from "../client-context.ts";
import { ProtocolError } from "../errors.ts";

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
