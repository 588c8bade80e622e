import { type Convention, from, type Meaning, type Take } from "../meaning/convention.ts";
import { ADDED } from "./gen-ai-tool.ts";

const CALLS = ["ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject", "ai.agent*"];
const answer: Take = {
  at: ["ai.response.text", "ai.result.text", "ai.response.object", "ai.response.toolCalls", "ai.result.toolCalls"],
};

const call: Meaning = {
  names: CALLS,
  name: from("ai.telemetry.functionId", "resource.name", "@resource/service.name"),
  args: { at: ["ai.prompt"], as: "prompt" },
  result: answer,
};

/** The Vercel AI SDK before it wrote GenAI's own attributes. */
export const vercelAi: Convention = {
  name: "Vercel AI SDK",
  sessionId: from(
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.session.id",
    "ai.telemetry.metadata.conversationId",
    "gen_ai.conversation.id",
    "session.id",
    ...ADDED.session,
  ),
  userId: from("ai.telemetry.metadata.userId", "ai.telemetry.metadata.user.id", "user.id", "enduser.id", ...ADDED.user),
  spans: [
    {
      names: ["ai.toolCall"],
      kind: "tool",
      id: from("ai.toolCall.id"),
      name: from("ai.toolCall.name"),
      args: from("ai.toolCall.args", "ai.toolCall.input"),
      result: from("ai.toolCall.result", "ai.toolCall.output"),
    },
    {
      names: ["ai.generateText.do*", "ai.streamText.do*", "ai.generateObject.do*", "ai.streamObject.do*"],
      kind: "llm",
      id: from("ai.response.id", "gen_ai.response.id"),
      name: from("ai.response.model", "ai.model.id", "gen_ai.request.model"),
      model: from("ai.response.model", "gen_ai.response.model", "ai.model.id", "gen_ai.request.model"),
      args: { at: ["ai.prompt.messages", "ai.prompt"], as: "message" },
      result: answer,
      usage: {
        inputTokens: from("ai.usage.inputTokens", "ai.usage.promptTokens", "gen_ai.usage.input_tokens"),
        outputTokens: from("ai.usage.outputTokens", "ai.usage.completionTokens", "gen_ai.usage.output_tokens"),
        cacheReadTokens: from("ai.usage.cachedInputTokens", "gen_ai.usage.cache_read.input_tokens"),
      },
      metadata: ["ai.response.finishReason", "ai.model.provider"],
    },
    { ...call, root: true, kind: "turn", ends: "turn" },
    { ...call, root: false, kind: "subagent", ends: "event" },
    {
      names: ["ai.embed*"],
      kind: "other",
      name: from("@name"),
      model: from("ai.model.id"),
    },
  ],
};

const FAILED_EXIT = /^-?[1-9]\d*$/;
const RESULT = ["ai.toolCall.result"];

const ours: Meaning["where"] = { "@resource/service.name": /^opencode$/ };

/**
 * opencode: its own spans around those of the AI SDK. One prompt is a turn, or a subagent where a tool gave it. The span
 * around each request of the AI SDK is no event, nor is the title that it makes up a part of the conversation. Only the
 * exit code in its result shows that a command failed.
 */
export const opencode: Convention = {
  ...vercelAi,
  name: "opencode",
  source: "opencode",
  userId: { at: ["ai.telemetry.metadata.userId"], match: /^(?!unknown$).+/ },
  spans: [
    { names: ["SessionPrompt.prompt"], where: ours, root: true, kind: "turn", ends: "turn" },
    { names: ["SessionPrompt.prompt"], where: ours, root: false, kind: "subagent", ends: "event" },
    { names: ["SessionPrompt.ensureTitle"], where: ours, kind: "other", name: from("@name") },
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
