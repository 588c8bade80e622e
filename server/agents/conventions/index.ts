import type { Convention } from "../convention.ts";
import { agents } from "../index.ts";
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
 * All conventions, in order of precedence: the conventions of agents and programs come before general conventions. The first
 * that recognizes a record interprets the record.
 */
export const conventions: readonly Convention[] = [
  ...agents.flatMap(({ telemetry = [] }) => telemetry),
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
