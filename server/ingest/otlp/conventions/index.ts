import type { Convention } from "../meaning/convention.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli, qwenCode } from "./gemini-cli.ts";
import { copilot, genAi, mcp, unnamedModelCalls } from "./gen-ai.ts";
import { openInference } from "./open-inference.ts";
import { openLlmetry } from "./open-llmetry.ts";
import { braintrust } from "./sdk/braintrust.ts";
import { laminar } from "./sdk/laminar.ts";
import { langfuse } from "./sdk/langfuse.ts";
import { langsmith } from "./sdk/langsmith.ts";
import { openaiAgents } from "./sdk/openai-agents.ts";
import { opencode, vercelAi } from "./vercel-ai.ts";

/**
 * All conventions, in order of precedence: the conventions of one program come before general conventions. The first
 * that recognizes a record interprets the record.
 */
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
  unnamedModelCalls,
];
