import { claudeCode } from "../claude-code/telemetry.ts";
import { codex } from "../codex/telemetry.ts";
import type { Convention } from "../convention.ts";
import { copilot } from "../copilot/telemetry.ts";
import { geminiCli } from "../gemini-cli/telemetry.ts";
import { opencode } from "../opencode/telemetry.ts";
import { qwenCode } from "../qwen-code/telemetry.ts";
import { braintrust } from "../sdks/braintrust.ts";
import { laminar } from "../sdks/laminar.ts";
import { langfuse } from "../sdks/langfuse.ts";
import { langsmith } from "../sdks/langsmith.ts";
import { openaiAgents } from "../sdks/openai-agents.ts";
import { genAi, mcp } from "./gen-ai.ts";
import { openInference } from "./open-inference.ts";
import { openLlmetry } from "./open-llmetry.ts";
import { unnamedModelCalls } from "./unnamed-model-calls.ts";
import { vercelAi } from "./vercel-ai.ts";

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
