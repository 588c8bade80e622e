import type { RecordMeaning, TelemetryConvention } from "../convention.ts";

const KIND = "braintrust.span_attributes";
const INPUT = "braintrust.input_json";
const OUTPUT = "braintrust.output_json";

const span: RecordMeaning = {
  turn: "braintrust.root_span_id",
  name: { at: KIND, path: ["name"], or: "@name" },
  args: INPUT,
  result: OUTPUT,
};

const call: RecordMeaning = {
  ...span,
  model: "braintrust.metadata.model",
  args: { at: INPUT, as: "message" },
  result: { at: OUTPUT, as: "message" },
  usage: {
    inputTokens: "braintrust.metrics.prompt_tokens",
    outputTokens: "braintrust.metrics.completion_tokens",
    cacheReadTokens: "braintrust.metrics.prompt_cached_tokens",
    cacheWriteTokens: "braintrust.metrics.prompt_cache_creation_tokens",
  },
};

const agent: RecordMeaning = { ...span, args: { at: INPUT, as: "prompt" }, result: { at: OUTPUT, as: "message" } };

/** Braintrust's SDK. A row without a type only adds to a span that an earlier row started. */
export const braintrustConvention: TelemetryConvention = {
  name: "Braintrust",
  sessionId: ["braintrust.metadata.session_id", "braintrust.metadata.thread_id"],
  userId: "braintrust.metadata.user_id",
  spans: [
    {
      ...call,
      ...agent,
      where: { [KIND]: true },
      root: true,
      kind: "turn",
      id: "braintrust.root_span_id",
      ends: "turn",
    },
    { ...call, where: { [KIND]: /"type":\s*"llm"/ }, kind: "llm", name: ["braintrust.metadata.model", "@name"] },
    { ...span, where: { [KIND]: /"type":\s*"tool"/ }, kind: "tool" },
    { ...agent, where: { [KIND]: /"type":\s*"task"/ }, kind: "subagent", ends: "event" },
    { ...call, where: { [KIND]: true }, kind: "other", args: INPUT, result: OUTPUT },
  ],
};
