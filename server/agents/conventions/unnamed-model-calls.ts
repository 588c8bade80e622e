import type { Convention } from "../convention.ts";
import { AGENT_SERVICE } from "../index.ts";
import { llm, MODEL_ATTRIBUTES, OPERATION, who } from "./gen-ai.ts";

/**
 * Model calls without the name of an operation. Gateways send such spans. Spans of the agents in AGENT_SERVICE are excluded,
 * because the log records of these agents already report the model calls.
 */
export const unnamedModelCalls: Convention = {
  name: "GenAI without an operation",
  ...who,
  spans: MODEL_ATTRIBUTES.map((model) => ({
    ...llm,
    where: { [model]: true, [OPERATION]: { not: /./ }, "@resource/service.name": { not: AGENT_SERVICE } },
  })),
};
