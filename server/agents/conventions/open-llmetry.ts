import type { RecordMeaning, TelemetryConvention } from "../convention.ts";
import { MODEL_ATTRIBUTES, modelCallMeaning, SDK_ATTRIBUTES } from "./gen-ai.ts";

const KIND = "traceloop.span.kind";

const agent: RecordMeaning = {
  name: ["traceloop.entity.name", "gen_ai.agent.name", "@name"],
  args: { at: "traceloop.entity.input", as: "prompt" },
  result: { at: "traceloop.entity.output", as: "message" },
};

/** OpenLLMetry, Traceloop's instrumentation: spans around model calls. The model calls themselves follow GenAI. */
export const openLlmetryConvention: TelemetryConvention = {
  name: "OpenLLMetry",
  sessionId: [
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.conversation_id",
    "traceloop.association.properties.thread_id",
    "gen_ai.conversation.id",
    "session.id",
    ...SDK_ATTRIBUTES.session,
  ],
  userId: ["traceloop.association.properties.user_id", "user.id", "enduser.id", ...SDK_ATTRIBUTES.user],
  spans: [
    { ...agent, where: { [KIND]: /^(?:workflow|agent)$/ }, root: true, kind: "turn", ends: "turn" },
    { ...agent, where: { [KIND]: /^agent$/ }, root: false, kind: "subagent", ends: "event" },
    {
      where: { [KIND]: /^tool$/ },
      kind: "tool",
      id: "gen_ai.tool.call.id",
      name: ["traceloop.entity.name", "gen_ai.tool.name", "@name"],
      args: "traceloop.entity.input",
      result: "traceloop.entity.output",
    },
    { where: { [KIND]: true } },
    {
      ...modelCallMeaning,
      where: { "llm.request.type": /^(?:chat|completion)$/ },
      name: [...MODEL_ATTRIBUTES, "@name"],
      result: {
        at: "gen_ai.output.messages",
        as: "message",
        or: {
          at: ["@last/gen_ai.completion./.content", "@last/gen_ai.completion./.tool_calls.0.arguments"],
          as: "message",
        },
      },
    },
  ],
};
