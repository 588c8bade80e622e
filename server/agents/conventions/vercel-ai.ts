import type { RecordMeaning, TelemetryConvention, ValueSource } from "../convention.ts";
import { SDK_ATTRIBUTES } from "./gen-ai.ts";

const CALLS = ["ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject", "ai.agent*"];
const answer: ValueSource = {
  at: ["ai.response.text", "ai.result.text", "ai.response.object", "ai.response.toolCalls", "ai.result.toolCalls"],
};

const call: RecordMeaning = {
  names: CALLS,
  name: ["ai.telemetry.functionId", "resource.name", "@resource/service.name"],
  args: { at: "ai.prompt", as: "prompt" },
  result: answer,
};

/** Vercel AI SDK in versions before GenAI attributes. */
export const vercelAiConvention: TelemetryConvention = {
  name: "Vercel AI SDK",
  sessionId: [
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.session.id",
    "ai.telemetry.metadata.conversationId",
    "gen_ai.conversation.id",
    "session.id",
    ...SDK_ATTRIBUTES.session,
  ],
  userId: [
    "ai.telemetry.metadata.userId",
    "ai.telemetry.metadata.user.id",
    "user.id",
    "enduser.id",
    ...SDK_ATTRIBUTES.user,
  ],
  spans: [
    {
      names: ["ai.toolCall"],
      kind: "tool",
      id: "ai.toolCall.id",
      name: "ai.toolCall.name",
      args: ["ai.toolCall.args", "ai.toolCall.input"],
      result: ["ai.toolCall.result", "ai.toolCall.output"],
    },
    {
      names: ["ai.generateText.do*", "ai.streamText.do*", "ai.generateObject.do*", "ai.streamObject.do*"],
      kind: "llm",
      id: ["ai.response.id", "gen_ai.response.id"],
      name: ["ai.response.model", "ai.model.id", "gen_ai.request.model"],
      model: ["ai.response.model", "gen_ai.response.model", "ai.model.id", "gen_ai.request.model"],
      args: { at: ["ai.prompt.messages", "ai.prompt"], as: "message" },
      result: answer,
      usage: {
        inputTokens: ["ai.usage.inputTokens", "ai.usage.promptTokens", "gen_ai.usage.input_tokens"],
        outputTokens: ["ai.usage.outputTokens", "ai.usage.completionTokens", "gen_ai.usage.output_tokens"],
        cacheReadTokens: ["ai.usage.cachedInputTokens", "gen_ai.usage.cache_read.input_tokens"],
      },
      metadata: ["ai.response.finishReason", "ai.model.provider"],
    },
    { ...call, root: true, kind: "turn", ends: "turn" },
    { ...call, root: false, kind: "subagent", ends: "event" },
    {
      names: ["ai.embed*"],
      kind: "other",
      name: "@name",
      model: "ai.model.id",
    },
  ],
};
