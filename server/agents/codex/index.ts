import type { Agent } from "../agent.ts";
import { denyCall, codexHooks as hooks } from "./hooks.ts";
import { codexConvention as telemetry } from "./telemetry.ts";
import { changingHead, readExitCode, shell, tools, wording } from "./tools.ts";
import { codex as transcript } from "./transcript.ts";

export const codex: Agent = {
  name: "codex",
  hooks,
  stop: denyCall,
  telemetry,
  transcript,
  tools,
  readExitCode,
  goesOn: /^(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\nProcess running with session ID/,
  truncated: /^Warning: truncated output |tokens truncated/,
  changingHead,
  shell,
  wording,
  hasNoTurns: true,
  // The log records of model calls contain no id of the request and no id of the turn.
  hasNoRequestIds: true,
};
