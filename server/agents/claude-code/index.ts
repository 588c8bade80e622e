import type { Agent } from "../agent.ts";
import { stopTurn } from "../agent-hooks.ts";
import { claudeCodeHooks as hooks } from "./hooks.ts";
import { claudeCodeConvention as telemetry } from "./telemetry.ts";
import { goesOn, readExitCode, shell, tools, wording } from "./tools.ts";
import { claudeCode as transcript } from "./transcript.ts";

export const claudeCode: Agent = {
  name: "claude-code",
  hooks,
  stop: stopTurn,
  telemetry,
  transcript,
  tools,
  readExitCode,
  goesOn,
  truncated: /characters truncated/,
  shell,
  wording,
  ownFiles: /\/\.claude\/plans\//,
  hasCacheBeside: true,
};
