import { from, type Meaning, type Take } from "../meaning/convention.ts";

/** Takes a text, unless a setting of Claude Code hides it. */
export const shown = (...at: string[]): Take => ({ at, match: /^(?!<REDACTED>$)[\s\S]+/ });

/** The marks of a text that Claude Code has cut. */
export const CUT = /\[TRUNCATED - |…\[\d+ chars\]/;

const OURS = { "@body": /^claude_code\./ };
/** The turn, and the subagent in it that a record is of. */
const around = { turn: from("prompt.id"), parentCall: from("agent_id") } as const;

/**
 * A model's request. Gateways between may answer without a request's id: the log record of the answer comes right after that of
 * the request, by the number that each record has in its session's process.
 */
const requestId = (less = 0): Take => ({
  at: ["request_id"],
  or: { at: ["event.sequence"], less, within: from("prompt.id"), or: from("@moment") },
});

const toolResult: Meaning = {
  names: ["tool_result"],
  where: OURS,
  kind: "tool",
  id: from("tool_use_id", "@moment"),
  ...around,
  name: from("tool_name"),
  args: from("tool_input"),
  argsCut: { at: ["tool_input"], match: CUT },
  latency: from("duration_ms"),
  success: from("success"),
  error: from("error", "error_type"),
};

/** The log records of Claude Code carry turns, calls, tokens and cost. */
export const logs: readonly Meaning[] = [
  {
    names: ["user_prompt"],
    where: OURS,
    kind: "turn",
    id: from("prompt.id"),
    args: shown("prompt"),
    argsCut: { at: ["prompt"], match: CUT },
    time: "start",
    isPart: true,
    session: { version: from("app.version", "@resource/service.version"), os: from("@resource/os.type") },
  },
  {
    names: ["api_request"],
    where: OURS,
    kind: "llm",
    id: requestId(),
    ...around,
    name: from("model"),
    model: from("model"),
    latency: from("duration_ms"),
    usage: {
      inputTokens: from("input_tokens"),
      outputTokens: from("output_tokens"),
      cacheReadTokens: from("cache_read_tokens"),
      cacheWriteTokens: from("cache_creation_tokens"),
      cost: from("cost_usd"),
    },
    metadata: ["query_source", "effort"],
  },
  {
    names: ["assistant_response"],
    where: OURS,
    kind: "llm",
    id: requestId(1),
    ...around,
    name: from("model"),
    model: from("model"),
    result: shown("response"),
    resultCut: { at: ["response"], match: CUT },
  },
  {
    names: ["api_error"],
    where: OURS,
    kind: "llm",
    id: requestId(),
    ...around,
    name: { at: ["model"], match: /^[^[]+/ },
    model: { at: ["model"], match: /^[^[]+/ },
    latency: from("duration_ms"),
    failedBy: [from("error")],
    error: from("error"),
    metadata: ["status_code", "attempt"],
  },
  { ...toolResult, where: { ...OURS, tool_name: /^mcp_tool$/ }, nameIsGeneric: true },
  toolResult,
  {
    names: ["tool_decision"],
    where: { ...OURS, decision: /^reject$/, tool_use_id: true },
    kind: "tool",
    id: from("tool_use_id"),
    ...around,
    name: from("tool_name"),
    nameIsGeneric: true,
    failedBy: [from("decision")],
    metadata: ["decision", "source"],
    ends: "event",
  },
  {
    // A subagent in the background outlives the call that started it, so only this record has its duration.
    names: ["subagent_completed"],
    where: { ...OURS, agent_id: true },
    kind: "subagent",
    id: from("agent_id"),
    turn: from("prompt.id"),
    name: from("agent_type"),
    model: from("model"),
    latency: from("duration_ms"),
    metadata: ["total_tokens", "total_tool_uses"],
  },
  {
    names: ["compaction"],
    where: OURS,
    kind: "other",
    id: from("@moment"),
    ...around,
    name: from("event.name"),
    latency: from("duration_ms"),
    success: from("success"),
    metadata: ["trigger", "pre_tokens", "post_tokens"],
  },
];
