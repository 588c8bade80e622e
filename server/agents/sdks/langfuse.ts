import type { RecordMeaning, TelemetryConvention, ValueSource } from "../convention.ts";

const TYPE = "langfuse.observation.type";
const usageOf = (...names: string[]): ValueSource =>
  names.reduceRight<ValueSource>((or, name) => ({ at: "langfuse.observation.usage_details", path: [name], or }), {
    at: [],
  });

const observed: RecordMeaning = {
  turn: "langfuse.trace.id",
  args: "langfuse.observation.input",
  result: "langfuse.observation.output",
  // Langfuse reports failures in its own level attribute and leaves the span's status unset.
  failedBy: [{ at: "langfuse.observation.level", match: /^ERROR$/ }],
  error: ["langfuse.observation.status_message", "@event/exception/exception.message", "@status"],
  metadata: ["langfuse.observation.level", "langfuse.trace.name", "langfuse.environment", "langfuse.version"],
};

const agent: RecordMeaning = {
  ...observed,
  name: "@name",
  args: { at: ["langfuse.observation.input", "langfuse.trace.input"], as: "prompt" },
  result: { at: ["langfuse.observation.output", "langfuse.trace.output"], as: "message" },
};

export const langfuseConvention: TelemetryConvention = {
  name: "Langfuse",
  sessionId: ["session.id", "langfuse.session.id", "langfuse.trace.session_id"],
  userId: ["user.id", "langfuse.user.id", "langfuse.trace.user_id"],
  spans: [
    { ...agent, where: { [TYPE]: /^trace$/ }, kind: "turn", id: "langfuse.trace.id", ends: "turn" },
    {
      ...agent,
      where: { [TYPE]: /^(?:agent|span|chain)$/ },
      root: true,
      kind: "turn",
      id: "langfuse.trace.id",
      ends: "turn",
    },
    { ...agent, where: { [TYPE]: /^agent$/ }, root: false, kind: "subagent", ends: "event" },
    { ...observed, where: { [TYPE]: /^tool$/ }, kind: "tool", name: "@name", id: "gen_ai.tool.call.id" },
    {
      ...observed,
      where: { [TYPE]: /^generation$/ },
      kind: "llm",
      name: "@name",
      model: ["langfuse.observation.model.name", "gen_ai.response.model", "gen_ai.request.model"],
      args: { at: "langfuse.observation.input", as: "message" },
      result: { at: "langfuse.observation.output", as: "message" },
      usage: {
        inputTokens: usageOf("input", "input_tokens", "prompt_tokens", "promptTokens"),
        outputTokens: usageOf("output", "output_tokens", "completion_tokens", "completionTokens"),
        cacheReadTokens: usageOf("input_cached_tokens", "cache_read_input_tokens", "input_cache_read"),
        cacheWriteTokens: usageOf("cache_creation_input_tokens", "input_cache_creation"),
        cost: { at: "langfuse.observation.cost_details", path: ["total"] },
      },
    },
    {
      ...observed,
      where: { [TYPE]: /^(?:event|retriever|embedding|guardrail|evaluator)$/ },
      kind: "other",
      name: "@name",
    },
    { where: { [TYPE]: true } },
  ],
};
