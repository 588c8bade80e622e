import { type Convention, from, type Meaning, type Take } from "../../meaning/convention.ts";

const TYPE = "langfuse.observation.type";
const usageOf = (...names: string[]): Take =>
  names.reduceRight<Take>((or, name) => ({ at: ["langfuse.observation.usage_details"], path: [name], or }), {
    at: [],
  });

const observed: Meaning = {
  turn: from("langfuse.trace.id"),
  args: from("langfuse.observation.input"),
  result: from("langfuse.observation.output"),
  // Langfuse's own level: a span's status stays unset.
  failedBy: [{ at: ["langfuse.observation.level"], match: /^ERROR$/ }],
  error: from("langfuse.observation.status_message", "@event/exception/exception.message", "@status"),
  metadata: ["langfuse.observation.level", "langfuse.trace.name", "langfuse.environment", "langfuse.version"],
};

const agent: Meaning = {
  ...observed,
  name: from("@name"),
  args: { at: ["langfuse.observation.input", "langfuse.trace.input"], as: "prompt" },
  result: { at: ["langfuse.observation.output", "langfuse.trace.output"], as: "message" },
};

/** Langfuse's SDK. */
export const langfuse: Convention = {
  name: "Langfuse",
  sessionId: from("session.id", "langfuse.session.id", "langfuse.trace.session_id"),
  userId: from("user.id", "langfuse.user.id", "langfuse.trace.user_id"),
  spans: [
    { ...agent, where: { [TYPE]: /^trace$/ }, kind: "turn", id: from("langfuse.trace.id"), ends: "turn" },
    {
      ...agent,
      where: { [TYPE]: /^(?:agent|span|chain)$/ },
      root: true,
      kind: "turn",
      id: from("langfuse.trace.id"),
      ends: "turn",
    },
    { ...agent, where: { [TYPE]: /^agent$/ }, root: false, kind: "subagent", ends: "event" },
    { ...observed, where: { [TYPE]: /^tool$/ }, kind: "tool", name: from("@name"), id: from("gen_ai.tool.call.id") },
    {
      ...observed,
      where: { [TYPE]: /^generation$/ },
      kind: "llm",
      name: from("@name"),
      model: from("langfuse.observation.model.name", "gen_ai.response.model", "gen_ai.request.model"),
      args: { at: ["langfuse.observation.input"], as: "message" },
      result: { at: ["langfuse.observation.output"], as: "message" },
      usage: {
        inputTokens: usageOf("input", "input_tokens", "prompt_tokens", "promptTokens"),
        outputTokens: usageOf("output", "output_tokens", "completion_tokens", "completionTokens"),
        cacheReadTokens: usageOf("input_cached_tokens", "cache_read_input_tokens", "input_cache_read"),
        cacheWriteTokens: usageOf("cache_creation_input_tokens", "input_cache_creation"),
        cost: { at: ["langfuse.observation.cost_details"], path: ["total"] },
      },
    },
    {
      ...observed,
      where: { [TYPE]: /^(?:event|retriever|embedding|guardrail|evaluator)$/ },
      kind: "other",
      name: from("@name"),
    },
    { where: { [TYPE]: true } },
  ],
};
