import type { RecordMeaning, TelemetryConvention } from "../convention.ts";
import { THOUGHTS } from "../observation.ts";

const SPAN = { "gen_ai.agent.name": /^gemini-cli$/ };
const INPUT = ["gen_ai.input.messages"];
const OUTPUT = ["gen_ai.output.messages"];
/** Text truncated by Gemini CLI is no longer valid JSON. */
const CUT = /^[\s\S]*\[TRUNCATED: original length \d+\]$/;

/** Returns the meanings of log records for one program. The names of the records begin with the program's name. */
export const buildLogRecordMeanings = (program: string): readonly RecordMeaning[] =>
  LOGS.map(({ names, ...meaning }) => ({ ...meaning, names: (names ?? []).map((name) => `${program}.${name}`) }));

/**
 * Reads the turn, or the subagent, from a prompt id. In Qwen Code, the prompt id of a subagent contains the subagent's
 * name: `session#subagent#0`. The prompt id of a turn looks like `session########0`.
 */
const WITHIN: Pick<RecordMeaning, "turn" | "parentCall"> = {
  turn: { at: "prompt_id", match: /^(?!.*[^#]#[^#]+#\d+$).*$/ },
  parentCall: { at: "prompt_id", match: /[^#]#([^#]+)#\d+$/ },
};

const response: RecordMeaning = {
  names: ["api_response"],
  kind: "llm",
  id: { at: "response_text", path: ["*", "responseId"], or: ["response_id", "@moment"] },
  ...WITHIN,
  model: "model",
  result: {
    at: "response_text",
    path: ["*", "candidates", "*", "content"],
    as: "message",
    or: { at: "response_text", match: /^[^[{][\s\S]*/ },
  },
  latency: "duration_ms",
  usage: {
    inputTokens: "input_token_count",
    outputTokens: "output_token_count",
    cacheReadTokens: "cached_content_token_count",
  },
  metadata: [THOUGHTS, "finish_reasons"],
};

const LOGS: readonly RecordMeaning[] = [
  {
    names: ["config"],
    session: { model: "model", approval: "approval_mode", cwd: "cwd" },
  },
  {
    names: ["user_prompt"],
    kind: "turn",
    id: "prompt_id",
    args: "prompt",
    time: "start",
    isPart: true,
  },
  // No record reports the end of a turn. A response of the main agent without a tool call is the last response of its
  // turn.
  { ...response, where: { role: /^main$/, response_text: /^\[(?![\s\S]*"functionCall")/ }, ends: "turn" },
  response,
  {
    names: ["api_error"],
    kind: "llm",
    id: "@moment",
    turn: "prompt_id",
    model: "model",
    latency: "duration_ms",
    failedBy: ["event.name"],
    error: ["error", "error.message", "error_type"],
    metadata: ["status_code"],
  },
  {
    names: ["tool_call"],
    kind: "tool",
    id: "call_id",
    ...WITHIN,
    name: "function_name",
    args: { at: "function_args", as: "json" },
    latency: "duration_ms",
    success: "success",
    failedBy: [
      { at: "metadata", path: ["isError"], match: /^true$/ },
      { at: "metadata", path: ["exitCode"], match: /^-?[1-9]\d*$/ },
    ],
    error: ["error", "error_type"],
    metadata: ["decision", "tool_type", "mcp_server_name"],
  },
];

/** Gemini CLI. Log records contain turns, tokens and calls; only spans contain a tool's output. */
export const geminiCliConvention: TelemetryConvention = {
  name: "Gemini CLI",
  source: "gemini-cli",
  sessionId: ["session.id", "gen_ai.conversation.id"],
  userId: ["user.id", "user.email"],
  logs: [
    ...buildLogRecordMeanings("gemini_cli"),
    // Gemini CLI repeats each request under its GenAI name. The repeated records create no events.
    { names: ["gen_ai.client.inference.operation.details"], where: { "installation.id": true, "session.id": true } },
  ],
  spans: [
    {
      names: ["tool_call"],
      where: SPAN,
      kind: "tool",
      id: ["gen_ai.tool.call_id", "gen_ai.tool.call.id"],
      turn: { at: INPUT, path: ["prompt_id"] },
      name: "gen_ai.tool.name",
      args: { at: INPUT, path: ["args"], as: "json", or: { at: INPUT, match: CUT } },
      argsCut: { at: INPUT, match: CUT },
      result: {
        at: OUTPUT,
        path: ["response", "responseParts", "*", "functionResponse", "response", "output"],
        or: { at: OUTPUT, path: ["response", "resultDisplay"], or: { at: OUTPUT, match: CUT } },
      },
      resultCut: { at: OUTPUT, match: CUT },
      failedBy: [
        { at: OUTPUT, path: ["status"], match: /^(?:error|cancelled)$/ },
        { at: OUTPUT, path: ["response", "data", "isError"], match: /^true$/ },
      ],
      error: { at: OUTPUT, path: ["response", "responseParts", "*", "functionResponse", "response", "error"] },
    },
    { names: ["user_prompt"], where: SPAN, kind: "turn", id: "gen_ai.prompt.name", ends: "turn" },
    // The spans named below only link model calls to the conversation. Model calls themselves are read from log
    // records, which contain more token counts.
    { names: ["llm_call", "schedule_tool_calls", "agent_call", "system_prompt"], where: SPAN },
  ],
};
