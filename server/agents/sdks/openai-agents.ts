import type { Convention, Meaning, ValueSource } from "../convention.ts";

const KIND = "openai.agents.span";
const TRACE = "openai.agents.trace.id";
const INPUT = "openai.agents.data.input";
const OUTPUT = "openai.agents.data.output";
const USAGE = "openai.agents.data.usage";

const span: Meaning = { turn: TRACE, name: "@name" };

/** Token counts of the Responses API, or of chat completions, where the response contains the counts. */
const usageOf = (responses: readonly string[], chat: readonly string[]): ValueSource => ({
  at: USAGE,
  path: responses,
  or: { at: USAGE, path: chat, or: { at: OUTPUT, path: ["*", "usage", ...chat] } },
});

/**
 * OpenAI Agents SDK. A trace is one run of a workflow. The first agents of the trace, and the agents to which they hand
 * over, represent the run itself.
 */
export const openaiAgents: Convention = {
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
    // Steps of a run only link the surrounding spans.
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
