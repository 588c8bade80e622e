import { type Convention, from, type Meaning } from "../meaning/convention.ts";
import { ADDED } from "./gen-ai-tool.ts";

const KIND = "openinference.span.kind";

const agent: Meaning = {
  name: from("agent.name", "graph.node.name", "@name"),
  args: { at: ["input.value"], as: "prompt" },
  result: { at: ["output.value"], as: "message" },
};

/** OpenInference, as Phoenix's instrumentations write it. */
export const openInference: Convention = {
  name: "OpenInference",
  sessionId: from("session.id", ...ADDED.session),
  userId: from("user.id", "enduser.id", ...ADDED.user),
  spans: [
    { ...agent, where: { [KIND]: /^(?:AGENT|CHAIN)$/ }, root: true, kind: "turn", ends: "turn" },
    { ...agent, where: { [KIND]: /^AGENT$/ }, root: false, kind: "subagent", ends: "event" },
    {
      where: { [KIND]: /^TOOL$/ },
      kind: "tool",
      id: from("tool_call.id", "tool.id"),
      name: from("tool.name", "tool_call.function.name", "@name"),
      args: from("input.value", "tool.parameters", "tool_call.function.arguments"),
      // LangChain answers with a message of its own, the only sign of a failure from which the agent goes on.
      result: { at: ["output.value"], path: ["output", "kwargs", "content"], or: from("output.value") },
      failedBy: [{ at: ["output.value"], path: ["output", "kwargs", "status"], match: /^error$/ }],
      error: {
        at: ["@event/exception/exception.message", "@status"],
        or: { at: ["output.value"], path: ["output", "kwargs", "content"] },
      },
    },
    {
      where: { [KIND]: /^LLM$/ },
      kind: "llm",
      name: from("llm.model_name", "@name"),
      model: from("llm.model_name"),
      args: { at: ["@last/llm.input_messages./.message.content"], or: { at: ["input.value"], as: "message" } },
      result: { at: ["@last/llm.output_messages./.message.content"], or: { at: ["output.value"], as: "message" } },
      usage: {
        inputTokens: from("llm.token_count.prompt"),
        outputTokens: from("llm.token_count.completion"),
        cacheReadTokens: from("llm.token_count.prompt_details.cache_read"),
        cacheWriteTokens: from("llm.token_count.prompt_details.cache_write"),
        cost: from("llm.cost.total"),
      },
      metadata: ["llm.provider", "llm.system", "llm.finish_reason"],
    },
    {
      where: { [KIND]: /^(?:RETRIEVER|RERANKER|EMBEDDING|GUARDRAIL|EVALUATOR)$/ },
      kind: "other",
      name: from("@name"),
      args: from("input.value"),
      result: from("output.value"),
      metadata: [KIND],
    },
    // Steps of a program inside an agent only link what is around them.
    { where: { [KIND]: true } },
  ],
};
