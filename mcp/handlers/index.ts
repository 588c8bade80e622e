import type { Handler } from "./handler.ts";
import { completionHandlers, promptHandlers } from "./prompts.ts";
import { resourceHandlers } from "./resources.ts";
import { toolHandlers } from "./tools.ts";

/** Handlers of all methods except the handshake, ping and logging/setLevel, which the SDK handles. */
export const HANDLERS: readonly Handler[] = [
  ...toolHandlers,
  ...resourceHandlers,
  ...promptHandlers,
  ...completionHandlers,
];
