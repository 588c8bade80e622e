import type { RecordMeaning, TelemetryConvention } from "../convention.ts";
import { SDK_ATTRIBUTES } from "./gen-ai.ts";

const KIND = "openinference.span.kind";

const agent: RecordMeaning = {
  name: ["agent.name", "graph.node.name", "@name"],
  args: { at: "input.value", as: "prompt" },
  result: { at: "output.value", as: "message" },
};

/** OpenInference, as Phoenix's instrumentations send spans. */
export const openInferenceConvention: TelemetryConvention = {
  name: "OpenInference",
  sessionId: ["session.id", ...SDK_ATTRIBUTES.session],
  userId: ["user.id", "enduser.id", ...SDK_ATTRIBUTES.user],
  spans: [
    { ...agent, where: { [KIND]: /^(?:AGENT|CHAIN)$/ }, root: true, kind: "turn", ends: "turn" },
    { ...agent, where: { [KIND]: /^AGENT$/ }, root: false, kind: "subagent", ends: "event" },
    {
      where: { [KIND]: /^TOOL$/ },
      kind: "tool",
      id: ["tool_call.id", "tool.id"],
      name: ["tool.name", "tool_call.function.name", "@name"],
      args: ["input.value", "tool.parameters", "tool_call.function.arguments"],
      // LangChain wraps a tool's result in a LangChain message. If the agent continues after a failure, only this
      // message shows the failure.
      result: { at: "output.value", path: ["output", "kwargs", "content"], or: "output.value" },
      failedBy: [{ at: "output.value", path: ["output", "kwargs", "status"], match: /^error$/ }],
      error: {
        at: ["@event/exception/exception.message", "@status"],
        or: { at: "output.value", path: ["output", "kwargs", "content"] },
      },
    },
    {
      where: { [KIND]: /^LLM$/ },
      kind: "llm",
      name: ["llm.model_name", "@name"],
      model: "llm.model_name",
      args: { at: "@last/llm.input_messages./.message.content", or: { at: "input.value", as: "message" } },
      result: { at: "@last/llm.output_messages./.message.content", or: { at: "output.value", as: "message" } },
      usage: {
        inputTokens: "llm.token_count.prompt",
        outputTokens: "llm.token_count.completion",
        cacheReadTokens: "llm.token_count.prompt_details.cache_read",
        cacheWriteTokens: "llm.token_count.prompt_details.cache_write",
        cost: "llm.cost.total",
      },
      metadata: ["llm.provider", "llm.system", "llm.finish_reason"],
    },
    {
      where: { [KIND]: /^(?:RETRIEVER|RERANKER|EMBEDDING|GUARDRAIL|EVALUATOR)$/ },
      kind: "other",
      name: "@name",
      args: "input.value",
      result: "output.value",
      metadata: [KIND],
    },
    // Spans of other steps inside an agent create no events. The span of a step only links the span's parent to the
    // span's children.
    { where: { [KIND]: true } },
  ],
};
