import { UUID_REGEXP } from "../../../formats/uuid.ts";
import type { TelemetryConvention } from "../convention.ts";

/** Codex. Log records contain nearly everything. Of some 740 spans per turn, only one is used: the span of the turn. */
export const codexConvention: TelemetryConvention = {
  name: "Codex",
  source: "codex",
  sessionId: { at: "conversation.id", or: { at: "thread.id", match: UUID_REGEXP } },
  userId: ["user.account_id", "user.email"],
  userTraits: { email: "user.email" },
  tracesRunOn: true,
  logs: [
    {
      names: ["codex.conversation_starts"],
      session: {
        version: ["app.version", "@resource/service.version"],
        model: "model",
        sandbox: "sandbox_policy",
        approval: "approval_policy",
      },
    },
    { names: ["codex.user_prompt"], kind: "turn", args: "prompt", model: "model", time: "start" },
    {
      names: ["codex.agent_response"],
      kind: "turn",
      id: "turn.id",
      result: "response",
      resultCut: { at: "response_truncated", match: /^true$/ },
      model: "model",
      ends: "turn",
    },
    {
      // Codex sends this event twice; only the event with tokens counts. Neither has an id, so the time serves as id.
      names: ["codex.sse_event"],
      where: { "event.kind": /^response\.completed$/, input_token_count: true },
      kind: "llm",
      id: "@moment",
      model: "model",
      usage: {
        inputTokens: "input_token_count",
        outputTokens: "output_token_count",
        cacheReadTokens: "cached_token_count",
        cacheWriteTokens: "cache_write_token_count",
      },
      metadata: ["reasoning_token_count", "ttft_ms"],
    },
    {
      names: ["codex.api_request", "codex.websocket_request"],
      where: { "error.message": true },
      kind: "llm",
      id: "@moment",
      model: "model",
      latency: "duration_ms",
      failedBy: ["error.message"],
      metadata: ["http.response.status_code", "attempt"],
    },
    {
      // Hooks report the same tools under other names. The names from hooks take precedence, because the model knows
      // the tools by those names.
      names: ["codex.tool_result"],
      kind: "tool",
      id: "call_id",
      name: "tool_name",
      nameIsGeneric: true,
      args: "arguments",
      result: "output",
      resultCut: { at: "output_truncated", match: /^true$/ },
      latency: "duration_ms",
      success: "success",
      // Codex reports a failed command as a success. Only the output shows the failure.
      failedBy: [{ at: "output", match: /^(?:[^\n]*\n){0,6}?Process exited with code (?!0\b)-?\d+/ }],
      error: "output",
    },
    {
      names: ["codex.tool_decision"],
      where: { decision: /^(?:denied|abort)/ },
      kind: "tool",
      id: "call_id",
      name: "tool_name",
      nameIsGeneric: true,
      failedBy: ["decision"],
      error: "decision",
      ends: "event",
    },
    // Records of API requests, WebSocket requests and tool decisions create no events. The records only show which
    // trace the neighboring records belong to.
    { names: ["codex.api_request", "codex.websocket_request", "codex.tool_decision"] },
  ],
  spans: [
    {
      names: ["session_task.turn"],
      where: { "turn.id": true },
      kind: "turn",
      id: "turn.id",
      model: "model",
      ends: "turn",
    },
  ],
};
