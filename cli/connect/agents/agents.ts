import { EXIT, Failure } from "../../failure.ts";
import type { Agent } from "../agent.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeDesktop } from "./claude-desktop.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { environment } from "./environment.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { vscode } from "./vscode.ts";

/** Everything that can be connected. */
export const AGENTS: readonly Agent[] = [
  claudeCode,
  codex,
  geminiCli,
  copilot,
  opencode,
  qwenCode,
  pi,
  vscode,
  cursor,
  claudeDesktop,
  environment,
];

/** @throws Failure that lists what there is. */
export function agentNamed(name: string): Agent {
  const agent = AGENTS.find((one) => one.name === name);
  if (agent) return agent;
  throw new Failure(`There is no agent "${name}".`, {
    exit: EXIT.usage,
    cure: AGENTS.map((one) => one.name).join(", "),
  });
}
