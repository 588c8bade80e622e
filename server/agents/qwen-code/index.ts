import type { Agent } from "../agent.ts";
import { qwenCode as hooks } from "./hooks.ts";
import { qwenCode as telemetry } from "./telemetry.ts";
import { qwenCode as transcript } from "./transcript.ts";

export const qwenCode: Agent = {
  name: "qwen-code",
  hooks,
  telemetry,
  transcript,
};
