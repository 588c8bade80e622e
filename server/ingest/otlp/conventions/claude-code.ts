import { type Convention, from, type Meaning } from "../meaning/convention.ts";
import { CUT, logs, shown } from "./claude-code-logs.ts";

const toolSpan: Meaning = {
  names: ["claude_code.tool"],
  kind: "tool",
  id: from("tool_use_id", "gen_ai.tool.call.id"),
  name: from("tool_name"),
  args: from("full_command", "file_path"),
  argsArePart: true,
  result: from("@event/tool.output/output"),
  resultCut: from("@event/tool.output/output_truncated"),
};

/** The beta spans of Claude Code carry structure and outputs. */
const spans: readonly Meaning[] = [
  {
    names: ["claude_code.interaction"],
    kind: "turn",
    args: shown("user_prompt"),
    argsCut: { at: ["user_prompt"], match: CUT },
    ends: "turn",
  },
  {
    names: ["claude_code.llm_request"],
    where: { request_id: true },
    kind: "llm",
    id: from("request_id", "gen_ai.response.id"),
    name: { at: ["model"], match: /^[^[]+/ },
    model: { at: ["model"], match: /^[^[]+/ },
    success: from("success"),
    error: from("error"),
    metadata: ["stop_reason", "ttft_ms"],
  },
  {
    // Tools that write say here what they wrote, which is their input.
    ...toolSpan,
    where: {
      tool_name: /^(?:Read|NotebookRead|Grep|Glob|LS|WebFetch|WebSearch)$/,
      "@event/tool.output/content": true,
    },
    result: from("@event/tool.output/content"),
    resultCut: from("@event/tool.output/content_truncated"),
  },
  toolSpan,
  // Without an id it matches no log record, and the log record has the request with its tokens.
  { names: ["claude_code.llm_request"] },
  {
    names: ["claude_code.tool.execution"],
    where: { tool_use_id: true },
    kind: "tool",
    id: from("tool_use_id"),
    success: from("success"),
    error: from("error"),
    timeless: true,
    isPart: true,
  },
];

/** Claude Code: log records carry turns, calls, tokens and cost; beta spans carry structure and outputs. */
export const claudeCode: Convention = {
  name: "Claude Code",
  source: "claude-code",
  sessionId: from("session.id"),
  userId: from("user.id"),
  userTraits: { email: from("user.email"), name: from("user.name"), organization: from("organization.id") },
  logs,
  spans,
};
