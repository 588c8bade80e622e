import type { Agent } from "../agent.ts";
import { stopTurn } from "../agent-hooks.ts";
import { opencode as hooks } from "./hooks.ts";
import { opencode as telemetry } from "./telemetry.ts";
import { opencode as transcript } from "./transcript.ts";

export const opencode: Agent = {
  name: "opencode",
  hooks,
  stop: stopTurn,
  telemetry,
  transcript,
};
