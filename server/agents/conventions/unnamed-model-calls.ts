import type { TelemetryConvention } from "../convention.ts";
import { AGENT_SERVICE } from "../index.ts";
import { MODEL_ATTRIBUTES, modelCallMeaning, OPERATION, who } from "./gen-ai.ts";

/**
 * Model calls without the name of an operation. Gateways send such spans. Spans of the agents in AGENT_SERVICE are excluded,
 * because the log records of these agents already report the model calls.
 */
export const unnamedModelCalls: TelemetryConvention = {
  name: "GenAI without an operation",
  ...who,
  spans: MODEL_ATTRIBUTES.map((model) => ({
    ...modelCallMeaning,
    where: { [model]: true, [OPERATION]: { not: /./ }, "@resource/service.name": { not: AGENT_SERVICE } },
  })),
};
