import type { Agent } from "../agent.ts";
import { geminiCli as hooks } from "./hooks.ts";
import { geminiCli as telemetry } from "./telemetry.ts";
import { geminiCli as transcript } from "./transcript.ts";

export const geminiCli: Agent = {
  name: "gemini-cli",
  hooks,
  telemetry,
  transcript,
  hasNoIds: true,
  delegates: { tool: "invoke_agent", subagent: /"agent_name":\s*"([^"\\]+)"/ },
  hasThoughtsBeside: true,
};
