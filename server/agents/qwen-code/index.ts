import type { Agent } from "../agent.ts";
import { asIs, BOTH } from "../agent-shell.ts";
import { grouped, readFoot, tools } from "../gemini-cli/tools.ts";
import { qwenCodeHooks as hooks } from "./hooks.ts";
import { qwenCode as telemetry } from "./telemetry.ts";
import { qwenCode as transcript } from "./transcript.ts";

export const qwenCode: Agent = {
  name: "qwen-code",
  hooks,
  telemetry,
  transcript,
  tools: { ...tools, todo_write: "plan" },
  readExitCode: readFoot(false),
  shell: { keeps: BOTH, scripts: [grouped, asIs] },
};
