import { type Convention, from, type Meaning } from "../meaning/convention.ts";
import { ADDED } from "./gen-ai-tool.ts";

const KIND = "traceloop.span.kind";

const agent: Meaning = {
  name: from("traceloop.entity.name", "gen_ai.agent.name", "@name"),
  args: { at: ["traceloop.entity.input"], as: "prompt" },
  result: { at: ["traceloop.entity.output"], as: "message" },
};

/** OpenLLMetry, Traceloop's instrumentation: what surrounds model calls. The calls themselves follow GenAI. */
export const openLlmetry: Convention = {
  name: "OpenLLMetry",
  sessionId: from(
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.conversation_id",
    "traceloop.association.properties.thread_id",
    "gen_ai.conversation.id",
    "session.id",
    ...ADDED.session,
  ),
  userId: from("traceloop.association.properties.user_id", "user.id", "enduser.id", ...ADDED.user),
  spans: [
    { ...agent, where: { [KIND]: /^(?:workflow|agent)$/ }, root: true, kind: "turn", ends: "turn" },
    { ...agent, where: { [KIND]: /^agent$/ }, root: false, kind: "subagent", ends: "event" },
    {
      where: { [KIND]: /^tool$/ },
      kind: "tool",
      id: from("gen_ai.tool.call.id"),
      name: from("traceloop.entity.name", "gen_ai.tool.name", "@name"),
      args: from("traceloop.entity.input"),
      result: from("traceloop.entity.output"),
    },
    { where: { [KIND]: true } },
    {
      where: { "llm.request.type": /^(?:chat|completion)$/ },
      kind: "llm",
      id: from("gen_ai.response.id"),
      name: from("gen_ai.response.model", "gen_ai.request.model", "@name"),
      model: from("gen_ai.response.model", "gen_ai.request.model"),
      args: {
        at: ["gen_ai.input.messages"],
        as: "message",
        or: { at: ["@last/gen_ai.prompt./.content"], as: "message" },
      },
      result: {
        at: ["gen_ai.output.messages"],
        as: "message",
        or: {
          at: ["@last/gen_ai.completion./.content", "@last/gen_ai.completion./.tool_calls.0.arguments"],
          as: "message",
        },
      },
      usage: {
        inputTokens: from("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"),
        outputTokens: from(
          "gen_ai.usage.output_tokens",
          "gen_ai.usage.completion_tokens",
          "llm.usage.completion_tokens",
        ),
        cacheReadTokens: from("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
        cacheWriteTokens: from(
          "gen_ai.usage.cache_write.input_tokens",
          "gen_ai.usage.cache_creation.input_tokens",
          "gen_ai.usage.cache_creation_input_tokens",
        ),
      },
      metadata: ["gen_ai.system", "gen_ai.response.finish_reasons"],
    },
  ],
};
