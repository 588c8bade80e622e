import type { Session } from "../client-context.ts";
import { completionMethods } from "./completion.ts";
import { promptMethods } from "./prompts.ts";
import { resourceMethods } from "./resources.ts";
import { toolMethods } from "./tools.ts";

/** Answers one method; the parameters are as the client sent them. */
export type Method = (
  params: Record<string, unknown>,
  session: Session,
  signal: AbortSignal,
) => Promise<Result> | Result;
export type Result = Record<string, unknown>;

/** Every method beside the handshake and ping, which the SDK answers. */
export const METHODS: Readonly<Record<string, Method>> = {
  ...toolMethods,
  ...resourceMethods,
  ...promptMethods,
  ...completionMethods,
};
