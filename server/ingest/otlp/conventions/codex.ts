import { UUID } from "../../../../formats/uuid.ts";
import { type Convention, from } from "../meaning/convention.ts";

/** Codex: log records carry nearly all. One of its spans, some 740 a turn, is the turn. */
export const codex: Convention = {
  name: "Codex",
  source: "codex",
  sessionId: { at: ["conversation.id"], or: { at: ["thread.id"], match: UUID } },
  userId: from("user.account_id", "user.email"),
  userTraits: { email: from("user.email") },
  tracesRunOn: true,
  logs: [
    {
      names: ["codex.conversation_starts"],
      session: {
        version: from("app.version", "@resource/service.version"),
        model: from("model"),
        sandbox: from("sandbox_policy"),
        approval: from("approval_policy"),
      },
    },
    { names: ["codex.user_prompt"], kind: "turn", args: from("prompt"), model: from("model"), time: "start" },
    {
      names: ["codex.agent_response"],
      kind: "turn",
      id: from("turn.id"),
      result: from("response"),
      resultCut: { at: ["response_truncated"], match: /^true$/ },
      model: from("model"),
      ends: "turn",
    },
    {
      // It comes twice; the one with tokens counts. Neither has an id, so its moment serves as one.
      names: ["codex.sse_event"],
      where: { "event.kind": /^response\.completed$/, input_token_count: true },
      kind: "llm",
      id: from("@moment"),
      name: from("model"),
      model: from("model"),
      usage: {
        inputTokens: from("input_token_count"),
        outputTokens: from("output_token_count"),
        cacheReadTokens: from("cached_token_count"),
        cacheWriteTokens: from("cache_write_token_count"),
      },
      metadata: ["reasoning_token_count", "ttft_ms"],
    },
    {
      names: ["codex.api_request", "codex.websocket_request"],
      where: { "error.message": true },
      kind: "llm",
      id: from("@moment"),
      name: from("model"),
      model: from("model"),
      latency: from("duration_ms"),
      failedBy: [from("error.message")],
      metadata: ["http.response.status_code", "attempt"],
    },
    {
      // Hooks call the same tools by other names, which the model knows them by.
      names: ["codex.tool_result"],
      kind: "tool",
      id: from("call_id"),
      name: from("tool_name"),
      nameIsGeneric: true,
      args: from("arguments"),
      result: from("output"),
      resultCut: { at: ["output_truncated"], match: /^true$/ },
      latency: from("duration_ms"),
      success: from("success"),
      // A command that failed counts as a success here; only its output shows the failure.
      failedBy: [{ at: ["output"], match: /^(?:[^\n]*\n){0,6}?Process exited with code (?!0\b)-?\d+/ }],
      error: from("output"),
    },
    {
      names: ["codex.tool_decision"],
      where: { decision: /^(?:denied|abort)/ },
      kind: "tool",
      id: from("call_id"),
      name: from("tool_name"),
      nameIsGeneric: true,
      failedBy: [from("decision")],
      error: from("decision"),
      ends: "event",
    },
    // They make no event, and name the trace of the records around them.
    { names: ["codex.api_request", "codex.websocket_request", "codex.tool_decision"] },
  ],
  spans: [
    {
      names: ["session_task.turn"],
      where: { "turn.id": true },
      kind: "turn",
      id: from("turn.id"),
      model: from("model"),
      ends: "turn",
    },
  ],
};
