import type { RecordMeaning, TelemetryConvention, ValueSource } from "../convention.ts";

const KIND = "langsmith.span.kind";
const INPUTS = "gen_ai.prompt";
const OUTPUTS = "gen_ai.completion";

/** Place of a run's result. If a function returns a single value, the property `outputs` contains the value. */
const answer = (as?: "message"): ValueSource => ({
  at: OUTPUTS,
  path: ["outputs"],
  ...(as && { as }),
  or: { at: OUTPUTS, ...(as && { as }) },
});

/** Returns the places of a token count or the cost: an attribute of the run, the response, or LangChain's message. */
const usageOf = (...path: string[]): ValueSource => ({
  at: ["langsmith.usage_metadata", "langsmith.metadata.usage_metadata"],
  path,
  or: {
    at: OUTPUTS,
    path: ["usage_metadata", ...path],
    or: { at: OUTPUTS, path: ["generations", "*", "*", "message", "kwargs", "usage_metadata", ...path] },
  },
});

const run: RecordMeaning = {
  turn: "langsmith.trace.id",
  name: ["@name", "langsmith.trace.name"],
  args: { at: INPUTS, path: ["input"], or: INPUTS },
  result: answer(),
  // LangSmith's exporter does not set the span's status, so an exception shows the failure.
  failedBy: ["@event/exception/exception.message"],
  session: { project: "langsmith.trace.session_name" },
};

const call: RecordMeaning = {
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

const agent: RecordMeaning = { ...run, args: { at: INPUTS, as: "prompt" }, result: answer("message") };
const root: RecordMeaning = { root: true, kind: "turn", id: "langsmith.trace.id", ends: "turn" };

/** Runs from the LangSmith SDK or from its OpenTelemetry exporter. */
export const langsmithConvention: TelemetryConvention = {
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
    // Spans of LangChain steps create no events. The span of a step only links the span's parent to the span's
    // children.
    { where: { "langsmith.span.runtime": /langchain/, [KIND]: /^(?:chain|prompt|parser)$/ } },
    // An update of a run may arrive without the type of the run. The type is then known from the start of the run,
    // which takes precedence over `other`.
    { ...call, where: { [KIND]: /^run$/ }, kind: "other", args: run.args ?? INPUTS, result: answer() },
    { ...run, where: { [KIND]: true }, kind: "other" },
  ],
};
