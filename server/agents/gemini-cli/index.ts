import type { Agent } from "../agent.ts";
import { geminiCliHooks as hooks } from "./hooks.ts";
import { geminiCliConvention as telemetry } from "./telemetry.ts";
import { readFoot, shell, tools, wording } from "./tools.ts";
import { geminiCli as transcript } from "./transcript.ts";

export const geminiCli: Agent = {
  name: "gemini-cli",
  hooks,
  telemetry,
  transcript,
  tools,
  readExitCode: readFoot(true),
  goesOn: /^Background PIDs: (?!\(none\))/,
  shell,
  wording,
  hasNoIds: true,
  delegates: { tool: "invoke_agent", subagent: /"agent_name":\s*"([^"\\]+)"/ },
  hasThoughtsBeside: true,
};
