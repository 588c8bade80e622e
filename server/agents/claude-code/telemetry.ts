import type { RecordMeaning, TelemetryConvention, ValueSource } from "../convention.ts";

/** Reads a text, unless a setting of Claude Code hides the text. */
const shown = (...at: string[]): ValueSource => ({ at, match: /^(?!<REDACTED>$)[\s\S]+/ });

/** Matches the mark in a text that Claude Code truncated. */
const CUT = /\[TRUNCATED - |…\[\d+ chars\]/;

/** Turn and subagent of a record. */
const around = { turn: "prompt.id", parentCall: "agent_id" } as const;

/**
 * Reads the id of a model call. If a gateway responds without a request id, the prompt id and the sequence number of
 * the request's log record form the id. The sequence counts the records of the session's process, and the response's
 * record directly follows the request's record, so `less` is 1 for the response.
 */
const requestId = (less = 0): ValueSource => ({
  at: "request_id",
  or: { at: "event.sequence", less, within: "prompt.id", or: "@moment" },
});

const toolResult: RecordMeaning = {
  names: ["tool_result"],
  kind: "tool",
  id: ["tool_use_id", "@moment"],
  ...around,
  name: "tool_name",
  args: "tool_input",
  argsCut: { at: "tool_input", match: CUT },
  latency: "duration_ms",
  success: "success",
  error: ["error", "error_type"],
};

/** Log records of Claude Code contain turns, calls, tokens and cost. */
const logs: readonly RecordMeaning[] = [
  {
    names: ["user_prompt"],
    kind: "turn",
    id: "prompt.id",
    args: shown("prompt"),
    argsCut: { at: "prompt", match: CUT },
    time: "start",
    isPart: true,
    session: { version: ["app.version", "@resource/service.version"], os: "@resource/os.type" },
  },
  {
    names: ["api_request"],
    kind: "llm",
    id: requestId(),
    ...around,
    model: "model",
    latency: "duration_ms",
    usage: {
      inputTokens: "input_tokens",
      outputTokens: "output_tokens",
      cacheReadTokens: "cache_read_tokens",
      cacheWriteTokens: "cache_creation_tokens",
      cost: "cost_usd",
    },
    metadata: ["query_source", "effort"],
  },
  {
    names: ["assistant_response"],
    kind: "llm",
    id: requestId(1),
    ...around,
    model: "model",
    result: shown("response"),
    resultCut: { at: "response", match: CUT },
  },
  {
    names: ["api_error"],
    kind: "llm",
    id: requestId(),
    ...around,
    model: { at: "model", match: /^[^[]+/ },
    latency: "duration_ms",
    failedBy: ["error"],
    error: "error",
    metadata: ["status_code", "attempt"],
  },
  { ...toolResult, where: { tool_name: /^mcp_tool$/ }, nameIsGeneric: true },
  toolResult,
  {
    names: ["tool_decision"],
    where: { decision: /^reject$/, tool_use_id: true },
    kind: "tool",
    id: "tool_use_id",
    ...around,
    name: "tool_name",
    nameIsGeneric: true,
    failedBy: ["decision"],
    metadata: ["decision", "source"],
    ends: "event",
  },
  {
    // A background subagent continues after the call that started the subagent, so only this record contains the
    // subagent's duration.
    names: ["subagent_completed"],
    where: { agent_id: true },
    kind: "subagent",
    id: "agent_id",
    turn: "prompt.id",
    name: "agent_type",
    model: "model",
    latency: "duration_ms",
    metadata: ["total_tokens", "total_tool_uses"],
  },
  {
    names: ["compaction"],
    kind: "other",
    id: "@moment",
    ...around,
    name: "event.name",
    latency: "duration_ms",
    success: "success",
    metadata: ["trigger", "pre_tokens", "post_tokens"],
  },
];

const toolSpan: RecordMeaning = {
  names: ["claude_code.tool"],
  kind: "tool",
  id: ["tool_use_id", "gen_ai.tool.call.id"],
  name: "tool_name",
  args: ["full_command", "file_path"],
  argsArePart: true,
  result: "@event/tool.output/output",
  resultCut: "@event/tool.output/output_truncated",
};

/** Beta spans contain the nesting of events and the outputs of tools. */
const spans: readonly RecordMeaning[] = [
  {
    names: ["claude_code.interaction"],
    kind: "turn",
    args: shown("user_prompt"),
    argsCut: { at: "user_prompt", match: CUT },
    ends: "turn",
  },
  {
    names: ["claude_code.llm_request"],
    where: { request_id: true },
    kind: "llm",
    id: ["request_id", "gen_ai.response.id"],
    model: { at: "model", match: /^[^[]+/ },
    success: "success",
    error: "error",
    metadata: ["stop_reason", "ttft_ms"],
  },
  {
    // Reads the output of tools that only read. For tools that write, `tool.output/content` repeats the input, so the
    // list omits tools that write.
    ...toolSpan,
    where: {
      tool_name: /^(?:Read|NotebookRead|Grep|Glob|LS|WebFetch|WebSearch)$/,
      "@event/tool.output/content": true,
    },
    result: "@event/tool.output/content",
    resultCut: "@event/tool.output/content_truncated",
  },
  toolSpan,
  // A span without a request id cannot be matched with the log record of the same call. The log record already
  // describes the call with its tokens, so the span creates no event.
  { names: ["claude_code.llm_request"] },
  {
    names: ["claude_code.tool.execution"],
    where: { tool_use_id: true },
    kind: "tool",
    id: "tool_use_id",
    success: "success",
    error: "error",
    timeless: true,
    isPart: true,
  },
];

/** Claude Code. Log records contain turns, calls, tokens and cost; beta spans contain structure and outputs. */
export const claudeCodeConvention: TelemetryConvention = {
  name: "Claude Code",
  source: "claude-code",
  sessionId: "session.id",
  userId: "user.id",
  userTraits: { email: "user.email", name: "user.name", organization: "organization.id" },
  logs: logs.map((meaning) => ({ ...meaning, where: { "@body": /^claude_code\./, ...meaning.where } })),
  spans,
};
