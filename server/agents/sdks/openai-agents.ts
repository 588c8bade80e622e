import type { RecordMeaning, TelemetryConvention, ValueSource } from "../convention.ts";

const KIND = "openai.agents.span";
const TRACE = "openai.agents.trace.id";
const INPUT = "openai.agents.data.input";
const OUTPUT = "openai.agents.data.output";
const USAGE = "openai.agents.data.usage";

const span: RecordMeaning = { turn: TRACE, name: "@name" };

/**
 * Reads token counts: from the usage attribute, in the form of the Responses API or of chat completions, or from the
 * response of a chat completion.
 */
const usageOf = (responses: readonly string[], chat: readonly string[]): ValueSource => ({
  at: USAGE,
  path: responses,
  or: { at: USAGE, path: chat, or: { at: OUTPUT, path: ["*", "usage", ...chat] } },
});

/**
 * OpenAI Agents SDK. A trace is one run of a workflow and becomes one turn. An agent that no other agent surrounds is
 * part of this turn, and so is an agent that takes over from another agent.
 */
export const openaiAgentsConvention: TelemetryConvention = {
  name: "OpenAI Agents",
  sessionId: "openai.agents.group.id",
  userId: ["openai.agents.metadata.user_id", "openai.agents.metadata.userId"],
  spans: [
    { where: { [KIND]: /^trace$/ }, kind: "turn", id: TRACE, name: "@name", timeless: true },
    {
      where: { [KIND]: /^agent$/ },
      root: true,
      kind: "turn",
      id: TRACE,
      name: "@name",
      nameIsGeneric: true,
      ends: "turn",
    },
    { ...span, where: { [KIND]: /^agent$/ }, root: false, kind: "subagent", ends: "event" },
    { ...span, where: { [KIND]: /^function$/ }, kind: "tool", args: INPUT, result: OUTPUT },
    {
      ...span,
      where: { [KIND]: /^(?:generation|response)$/ },
      kind: "llm",
      name: ["openai.agents.data.model", "@name"],
      model: "openai.agents.data.model",
      args: { at: INPUT, as: "message" },
      result: { at: OUTPUT, as: "message" },
      usage: {
        inputTokens: usageOf(["input_tokens"], ["prompt_tokens"]),
        outputTokens: usageOf(["output_tokens"], ["completion_tokens"]),
        cacheReadTokens: usageOf(["input_tokens_details", "cached_tokens"], ["prompt_tokens_details", "cached_tokens"]),
      },
      metadata: ["openai.agents.data.response_id"],
    },
    {
      ...span,
      where: { [KIND]: /^handoff$/ },
      kind: "other",
      name: ["openai.agents.data.to_agent", "@name"],
    },
    // Spans of a run's steps create no events. The span of a step only links the span's parent to the span's children.
    { where: { [KIND]: /^(?:task|turn)$/ } },
    {
      ...span,
      where: { [KIND]: true },
      kind: "other",
      name: ["@name", KIND],
      args: INPUT,
      result: OUTPUT,
    },
  ],
};
