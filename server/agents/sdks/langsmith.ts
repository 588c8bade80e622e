import type { Convention, Meaning, ValueSource } from "../convention.ts";

const KIND = "langsmith.span.kind";
const INPUTS = "gen_ai.prompt";
const OUTPUTS = "gen_ai.completion";

/** If a function returns a single value, the member `outputs` contains the value. */
const answer = (as?: "message"): ValueSource => ({
  at: OUTPUTS,
  path: ["outputs"],
  ...(as && { as }),
  or: { at: OUTPUTS, ...(as && { as }) },
});

/** Token counts appear next to the run, in its response, or in LangChain's message. */
const usageOf = (...path: string[]): ValueSource => ({
  at: ["langsmith.usage_metadata", "langsmith.metadata.usage_metadata"],
  path,
  or: {
    at: OUTPUTS,
    path: ["usage_metadata", ...path],
    or: { at: OUTPUTS, path: ["generations", "*", "*", "message", "kwargs", "usage_metadata", ...path] },
  },
});

const run: Meaning = {
  turn: "langsmith.trace.id",
  name: ["@name", "langsmith.trace.name"],
  args: { at: INPUTS, path: ["input"], or: INPUTS },
  result: answer(),
  // LangSmith's exporter leaves the span's status unset.
  failedBy: ["@event/exception/exception.message"],
  session: { project: "langsmith.trace.session_name" },
};

const call: Meaning = {
  ...run,
  model: ["gen_ai.response.model", "gen_ai.request.model", "langsmith.metadata.ls_model_name"],
  args: { at: INPUTS, as: "message" },
  result: answer("message"),
  usage: {
    inputTokens: usageOf("input_tokens"),
    outputTokens: usageOf("output_tokens"),
    cacheReadTokens: usageOf("input_token_details", "cache_read"),
    cacheWriteTokens: usageOf("input_token_details", "cache_creation"),
    cost: usageOf("total_cost"),
  },
  metadata: ["langsmith.metadata.ls_provider"],
};

const agent: Meaning = { ...run, args: { at: INPUTS, as: "prompt" }, result: answer("message") };
const root: Meaning = { root: true, kind: "turn", id: "langsmith.trace.id", ends: "turn" };

/** Runs from the LangSmith SDK or from its OpenTelemetry exporter. */
export const langsmith: Convention = {
  name: "LangSmith",
  sessionId: ["langsmith.metadata.session_id", "langsmith.metadata.thread_id", "langsmith.metadata.conversation_id"],
  userId: "langsmith.metadata.user_id",
  spans: [
    { ...agent, ...root, where: { [KIND]: /^(?!llm$|run$)/ } },
    { ...call, ...agent, ...root, where: { [KIND]: true } },
    { ...call, where: { [KIND]: /^llm$/ }, kind: "llm", name: call.model ?? "@name" },
    { ...run, where: { [KIND]: /^tool$/ }, kind: "tool", id: "gen_ai.tool.call.id" },
    {
      ...agent,
      where: { [KIND]: /^chain$/, "langsmith.metadata.ls_agent_type": /^subagent$/ },
      kind: "subagent",
      ends: "event",
    },
    // LangChain steps only link the surrounding spans.
    { where: { "langsmith.span.runtime": /langchain/, [KIND]: /^(?:chain|prompt|parser)$/ } },
    // A change to a run may arrive without the run's type. The type from the run's start then applies.
    { ...call, where: { [KIND]: /^run$/ }, kind: "other", args: run.args ?? INPUTS, result: answer() },
    { ...run, where: { [KIND]: true }, kind: "other" },
  ],
};
