import type { Convention, Meaning, ValueSource } from "../meaning/convention.ts";
import { SDK_ATTRIBUTES } from "./gen-ai.ts";

const CALLS = ["ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject", "ai.agent*"];
const answer: ValueSource = {
  at: ["ai.response.text", "ai.result.text", "ai.response.object", "ai.response.toolCalls", "ai.result.toolCalls"],
};

const call: Meaning = {
  names: CALLS,
  name: ["ai.telemetry.functionId", "resource.name", "@resource/service.name"],
  args: { at: "ai.prompt", as: "prompt" },
  result: answer,
};

/** Vercel AI SDK in versions before GenAI attributes. */
export const vercelAi: Convention = {
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

const FAILED_EXIT = /^-?[1-9]\d*$/;
const RESULT = ["ai.toolCall.result"];

const ours: Meaning["where"] = { "@resource/service.name": /^opencode$/ };

/**
 * opencode: its own spans around the spans of the AI SDK. A prompt is a turn, or a subagent if a tool sent the prompt.
 * The AI SDK's span around each request is not an event. The request that generates a title is not part of the
 * conversation. Only the exit code in the result shows that a command failed.
 */
export const opencode: Convention = {
  ...vercelAi,
  name: "opencode",
  source: "opencode",
  userId: { at: "ai.telemetry.metadata.userId", match: /^(?!unknown$).+/ },
  spans: [
    { names: ["SessionPrompt.prompt"], where: ours, root: true, kind: "turn", ends: "turn" },
    { names: ["SessionPrompt.prompt"], where: ours, root: false, kind: "subagent", ends: "event" },
    { names: ["SessionPrompt.ensureTitle"], where: ours, kind: "other", name: "@name" },
    { names: ["ai.streamText"], where: ours },
    ...(vercelAi.spans ?? []).map((meaning) => ({
      ...meaning,
      where: ours,
      ...(meaning.kind === "tool" && {
        failedBy: [{ at: RESULT, path: ["metadata", "exit"], match: FAILED_EXIT }],
        error: { at: ["@event/exception/exception.message", "@status"], or: { at: RESULT, path: ["output"] } },
      }),
    })),
  ],
};
