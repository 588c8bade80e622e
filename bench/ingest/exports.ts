import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { toCallId, toTurnId } from "../../server/ingest/observe/fold/ids.ts";
import { toProtobuf } from "../../test/support/recording/otlp.ts";

/** A telemetry request (spans, log records, transcript lines or SDK runs) and the events that the server must store. */
export interface TelemetryOrder {
  path: string;
  type: string;
  body: Buffer;
  events: { id: string; args: string }[];
}

/** Builds a hook's body for an agent whose calls and turns have ids: the end of a call, or a prompt. */
export function newHook(): TelemetryOrder {
  const [session_id, id] = [uuidv7(), uuidv7()];
  const agent = Math.random() < 0.5 ? "claude-code" : "codex";
  const told = `of ${id} ${"x".repeat(Math.random() * 800)}`;
  const turn = { prompt_id: id, turn_id: id };
  const isPrompt = Math.random() < 0.3;
  const payload = isPrompt
    ? { hook_event_name: "UserPromptSubmit", session_id, ...turn, prompt: told }
    : {
        ...{ hook_event_name: "PostToolUse", session_id, ...turn, tool_name: "Bash" },
        ...{ tool_use_id: id, tool_input: { command: told }, tool_response: "done" },
      };
  const event = isPrompt
    ? { id: toTurnId(session_id, id), args: told }
    : { id: toCallId(session_id, id), args: JSON.stringify({ command: told }) };
  const body = Buffer.from(JSON.stringify(payload));
  return { path: `/api/v1/hooks/${agent}`, type: "application/json", body, events: [event] };
}

const attributes = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

/**
 * Builds an export with the given number of tool calls: spans in protobuf, Claude Code's log records in JSON,
 * transcript lines, or LangSmith runs.
 */
export function newExport(rows: number): TelemetryOrder {
  const session = uuidv7();
  const calls = Array.from({ length: rows }, () => {
    const call = uuidv7();
    return { call, id: toCallId(session, call), args: `of ${call} ${"x".repeat(Math.random() * 800)}` };
  });
  const events = calls.map(({ id, args }) => ({ id, args }));
  const way = Math.floor(Math.random() * 4);
  if (way === 0) {
    const body = toProtobuf("traces", spansOf(session, calls));
    return { path: "/v1/traces", type: "application/x-protobuf", body, events };
  }
  const json = (path: string, body: object, told = events) => ({
    ...{ path, type: "application/json", events: told },
    body: Buffer.from(JSON.stringify(body)),
  });
  if (way === 1) return json("/v1/logs", logsOf(session, calls));
  if (way === 2) return json("/sdk/langsmith/runs/batch", { post: runsOf(session, calls) });
  const inputs = events.map(({ id, args }) => ({ id, args: JSON.stringify({ command: args }) }));
  return json("/api/v1/transcripts/claude-code", { lines: linesOf(session, calls) }, inputs);
}

interface Call {
  call: string;
  args: string;
}

function spansOf(session: string, calls: readonly Call[]): object {
  const traceId = randomBytes(16).toString("hex");
  const spans = calls.map(({ call, args }) => ({
    traceId,
    spanId: randomBytes(8).toString("hex"),
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 5}000000`,
    attributes: attributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.conversation.id": session,
      "gen_ai.tool.name": "torture",
      "gen_ai.tool.call.id": call,
      "gen_ai.tool.call.arguments": args,
    }),
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

function logsOf(session: string, calls: readonly Call[]): object {
  const logRecords = calls.map(({ call, args }) => ({
    timeUnixNano: `${Date.now()}000000`,
    body: { stringValue: "claude_code.tool_result" },
    attributes: attributes({
      "event.name": "tool_result",
      "session.id": session,
      "prompt.id": session,
      tool_name: "torture",
      tool_use_id: call,
      tool_input: args,
    }),
  }));
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

const runsOf = (session: string, calls: readonly Call[]): object[] => {
  const trace_id = uuidv7();
  return calls.map(({ call, args }) => ({
    ...{ id: call, trace_id, parent_run_id: trace_id, run_type: "tool", name: "torture", inputs: { input: args } },
    ...{ start_time: new Date().toISOString(), end_time: new Date().toISOString(), outputs: { output: "done" } },
    extra: { metadata: { session_id: session } },
  }));
};

const linesOf = (session: string, calls: readonly Call[]): string[] =>
  calls.map(({ call, args }) => {
    const content = [{ type: "tool_use", id: call, name: "torture", input: { command: args } }];
    const message = { id: call, role: "assistant", model: "scripted-1", content };
    const line = { type: "assistant", sessionId: session, uuid: call, timestamp: new Date().toISOString(), message };
    return JSON.stringify(line);
  });
