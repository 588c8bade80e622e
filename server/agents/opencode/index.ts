import type { Agent } from "../agent.ts";
import { stopTurn } from "../agent-hooks.ts";
import { asIs, BOTH } from "../agent-shell.ts";
import { withoutAction } from "../tools.ts";
import { opencodeHooks as hooks } from "./hooks.ts";
import { opencode as telemetry } from "./telemetry.ts";
import { opencode as transcript } from "./transcript.ts";

export const opencode: Agent = {
  name: "opencode",
  hooks,
  stop: stopTurn,
  telemetry,
  transcript,
  tools: { patch: "patch", ...withoutAction("list question") },
  shell: { keeps: BOTH, scripts: [asIs] },
};
