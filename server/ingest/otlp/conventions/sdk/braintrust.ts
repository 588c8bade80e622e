import { type Convention, from, type Meaning } from "../../meaning/convention.ts";

const KIND = "braintrust.span_attributes";
const INPUT = "braintrust.input_json";
const OUTPUT = "braintrust.output_json";

const span: Meaning = {
  turn: from("braintrust.root_span_id"),
  name: { at: [KIND], path: ["name"], or: from("@name") },
  args: from(INPUT),
  result: from(OUTPUT),
};

const call: Meaning = {
  ...span,
  model: from("braintrust.metadata.model"),
  args: { at: [INPUT], as: "message" },
  result: { at: [OUTPUT], as: "message" },
  usage: {
    inputTokens: from("braintrust.metrics.prompt_tokens"),
    outputTokens: from("braintrust.metrics.completion_tokens"),
    cacheReadTokens: from("braintrust.metrics.prompt_cached_tokens"),
    cacheWriteTokens: from("braintrust.metrics.prompt_cache_creation_tokens"),
  },
};

const agent: Meaning = { ...span, args: { at: [INPUT], as: "prompt" }, result: { at: [OUTPUT], as: "message" } };

/** Braintrust's SDK. A row without a type adds to a span that another row has begun. */
export const braintrust: Convention = {
  name: "Braintrust",
  sessionId: from("braintrust.metadata.session_id", "braintrust.metadata.thread_id"),
  userId: from("braintrust.metadata.user_id"),
  spans: [
    {
      ...call,
      ...agent,
      where: { [KIND]: true },
      root: true,
      kind: "turn",
      id: from("braintrust.root_span_id"),
      ends: "turn",
    },
    { ...call, where: { [KIND]: /"type":\s*"llm"/ }, kind: "llm", name: from("braintrust.metadata.model", "@name") },
    { ...span, where: { [KIND]: /"type":\s*"tool"/ }, kind: "tool" },
    { ...agent, where: { [KIND]: /"type":\s*"task"/ }, kind: "subagent", ends: "event" },
    { ...call, where: { [KIND]: true }, kind: "other", args: from(INPUT), result: from(OUTPUT) },
  ],
};
