import type { Convention } from "../meaning/convention.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli, qwenCode } from "./gemini-cli.ts";
import { copilot, genAi, mcp } from "./gen-ai.ts";
import { openInference } from "./open-inference.ts";
import { openLlmetry } from "./open-llmetry.ts";
import { braintrust } from "./sdk/braintrust.ts";
import { laminar } from "./sdk/laminar.ts";
import { langfuse } from "./sdk/langfuse.ts";
import { langsmith } from "./sdk/langsmith.ts";
import { openaiAgents } from "./sdk/openai-agents.ts";
import { opencode, vercelAi } from "./vercel-ai.ts";

/** Services of agents that have a convention of their own: it drops hundreds of their inner spans a turn. */
export const AGENT_SERVICE = /^(?:claude-code|codex|gemini-cli|qwen-code|opencode|github-copilot|copilot)/;

/** All conventions. A record is read by the first that knows it: what one program means goes before what all may mean. */
export const conventions: readonly Convention[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  copilot,
  opencode,
  langfuse,
  langsmith,
  openInference,
  vercelAi,
  openLlmetry,
  mcp,
  genAi,
  laminar,
  openaiAgents,
  braintrust,
];
