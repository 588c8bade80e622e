import type { TelemetryConvention } from "../convention.ts";
import { agents } from "../index.ts";
import { braintrustConvention } from "../sdks/braintrust.ts";
import { laminarConvention } from "../sdks/laminar.ts";
import { langfuseConvention } from "../sdks/langfuse.ts";
import { langsmithConvention } from "../sdks/langsmith.ts";
import { openaiAgentsConvention } from "../sdks/openai-agents.ts";
import { genAiConvention, mcpConvention } from "./gen-ai.ts";
import { openInferenceConvention } from "./open-inference.ts";
import { openLlmetryConvention } from "./open-llmetry.ts";
import { unnamedModelCalls } from "./unnamed-model-calls.ts";
import { vercelAiConvention } from "./vercel-ai.ts";

/**
 * All conventions, in order of precedence: the conventions of agents and programs come before general conventions. The first
 * that recognizes a record interprets the record.
 */
export const conventions: readonly TelemetryConvention[] = [
  ...agents.flatMap(({ telemetry = [] }) => telemetry),
  langfuseConvention,
  langsmithConvention,
  openInferenceConvention,
  vercelAiConvention,
  openLlmetryConvention,
  mcpConvention,
  genAiConvention,
  laminarConvention,
  openaiAgentsConvention,
  braintrustConvention,
  unnamedModelCalls,
];
