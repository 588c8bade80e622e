import { type Convention, from, type Meaning, type Take } from "../meaning/convention.ts";
import { OPERATION, tool, who } from "./gen-ai-tool.ts";

const usage: NonNullable<Meaning["usage"]> = {
  inputTokens: from(
    "gen_ai.usage.input_tokens",
    "gen_ai.token.input",
    "gen_ai.usage.prompt_tokens",
    "llm.usage.prompt_tokens",
  ),
  outputTokens: from(
    "gen_ai.usage.output_tokens",
    "gen_ai.token.output",
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
  ),
  cacheReadTokens: from(
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.token.cache_read",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.input_tokens.cached",
  ),
  cacheWriteTokens: from(
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.token.cache_creation",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.input_tokens.cache_write",
  ),
  cost: from("gen_ai.usage.cost", "gen_ai.cost.total_cost"),
};

const DETAILS = "@event/gen_ai.client.inference.operation.details";
const INPUTS = [
  "gen_ai.input.messages",
  `${DETAILS}/gen_ai.input.messages`,
  "@event/gen_ai.content.prompt/gen_ai.prompt",
];
const OUTPUTS = [
  "gen_ai.output.messages",
  `${DETAILS}/gen_ai.output.messages`,
  "@event/gen_ai.content.completion/gen_ai.completion",
];
/** Before messages had attributes of their own, they were counted attributes, and events. */
const OLD_INPUTS = ["@last/gen_ai.prompt./.content", "@event/gen_ai.user.message/content", "gen_ai.prompt"];
const OLD_OUTPUTS = ["@last/gen_ai.completion./.content", "@event/gen_ai.choice/message", "gen_ai.completion"];

const input: Take = { at: INPUTS, as: "message", or: { at: OLD_INPUTS, as: "message" } };
const prompt: Take = { at: INPUTS, as: "prompt", or: { at: OLD_INPUTS, as: "prompt" } };
const reply: Take = { at: OUTPUTS, as: "message", or: { at: OLD_OUTPUTS, as: "message" } };
const model = from("gen_ai.response.model", "gen_ai.request.model");

const llm: Meaning = {
  kind: "llm",
  id: from("gen_ai.response.id"),
  name: model,
  model,
  args: input,
  result: reply,
  usage,
  metadata: ["gen_ai.response.finish_reasons", "gen_ai.provider.name", "gen_ai.system", "error.type"],
};

const agent: Meaning = {
  where: { [OPERATION]: /^(?:invoke_agent|invoke_workflow)$/ },
  name: from("gen_ai.agent.name", "gen_ai.workflow.name", "@resource/service.name"),
  args: prompt,
  result: reply,
  metadata: ["gen_ai.agent.id", "gen_ai.agent.version", "error.type"],
};

const MODEL_CALL = /^(?:chat|text_completion|generate_content|completion)$/;

/** The semantic conventions for generative AI, in their present names and in those of old. */
export const genAi: Convention = {
  name: "GenAI",
  ...who,
  userTraits: { email: from("user.email"), name: from("user.name") },
  spans: [
    { ...agent, root: true, kind: "turn", ends: "turn" },
    // An agent that another called: its model calls carry its tokens and cost.
    { ...agent, root: false, kind: "subagent", ends: "event" },
    { ...llm, where: { [OPERATION]: MODEL_CALL } },
    tool,
    {
      where: { [OPERATION]: /^(?:embeddings|retrieval|plan|create_agent|rerank)$/ },
      kind: "other",
      name: from("@name"),
      model,
      metadata: [OPERATION, "error.type"],
    },
  ],
  logs: [
    {
      names: ["gen_ai.client.inference.operation.details"],
      ...llm,
      isItsSpan: true,
      timeless: true,
      args: {
        at: ["gen_ai.input.messages"],
        as: "message",
        or: { at: ["@body"], path: ["gen_ai.input.messages"], as: "message" },
      },
      result: {
        at: ["gen_ai.output.messages"],
        as: "message",
        or: { at: ["@body"], path: ["gen_ai.output.messages"], as: "message" },
      },
    },
    {
      names: ["gen_ai.user.message"],
      kind: "llm",
      isItsSpan: true,
      timeless: true,
      args: { at: ["@body"], path: ["content"], or: from("content", "@body") },
    },
    {
      names: ["gen_ai.choice"],
      kind: "llm",
      isItsSpan: true,
      timeless: true,
      result: { at: ["@body"], path: ["message", "content"], or: from("content", "@body") },
    },
  ],
};
