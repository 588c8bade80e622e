import type { Agent } from "../agent.ts";
import { denyCall, codex as hooks } from "./hooks.ts";
import { codex as telemetry } from "./telemetry.ts";
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
  changingHead,
  shell,
  wording,
  hasNoTurns: true,
  // The log records of model calls also lack the turn's id.
  hasNoRequestIds: true,
};
