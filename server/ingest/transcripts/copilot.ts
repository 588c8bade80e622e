import { numberOf, objectOf, type Payload, textOf, timeIn, usageIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { defined } from "../observe/fold/facts.ts";
import {
  compaction,
  endWithReply,
  failedTurn,
  holdReply,
  INTERRUPTED,
  type State,
  type Transcript,
} from "./transcript.ts";

/** GitHub Copilot CLI: ~/.copilot/session-state/<session>/events.jsonl, a line an event. */
export const copilot: Transcript = {
  source: "github-copilot",
  verified: ["1.0.102"],
  session: (line, state) => textOf(state, "session") ?? textOf(objectOf(line, "data"), "sessionId"),
  read(line, state) {
    const data = objectOf(line, "data");
    const at = timeIn(line);
    const agent = textOf(line, "agentId");
    switch (line["type"]) {
      case "session.start":
        return aboutSession(data, at);
      case "user.message":
        return agent === undefined ? readPrompt(data, state, at) : [];
      case "session.usage_record":
        return [{ ...requestOf(objectOf(data, "usage"), state, at), parentCall: agent }];
      case "assistant.message":
        if (agent === undefined) holdReply(state, replyIn(data), at);
        return readAnswer(data, agent, state);
      case "tool.execution_start":
        return [{ ...callOf(data, agent, state), args: whole(data["arguments"]), startedAt: at }];
      case "tool.execution_complete":
        return [{ ...callOf(data, agent, state), ...outcomeOf(data), endedAt: at, ends: "event" }];
      case "subagent.started":
        return [{ ...begunBy(data, agent, state), startedAt: at }];
      case "subagent.completed":
        return [{ ...begunBy(data, agent, state), success: true, endedAt: at, ends: "event" }];
      case "subagent.failed":
        return [
          { ...begunBy(data, agent, state), success: false, error: textOf(data, "error"), endedAt: at, ends: "event" },
        ];
      case "abort":
        return [failedTurn(textOf(state, "turn"), INTERRUPTED, at)];
      case "session.compaction_complete":
        return [compaction(state, at)];
      case "session.shutdown":
        return endWithReply(state);
      default:
        return [];
    }
  },
  close: (state, end) => (end ? endWithReply(state) : []),
};

function aboutSession(data: Payload, startedAt: number | undefined): PartialObservation[] {
  const context = objectOf(data, "context");
  const sessionMetadata = defined<Record<string, unknown>>({
    cwd: textOf(context, "cwd"),
    version: textOf(data, "copilotVersion"),
    gitBranch: textOf(context, "branch"),
    gitCommit: textOf(context, "headCommit"),
  });
  return [{ startedAt, sessionMetadata }];
}

/** A prompt with all that it brings about is an interaction here, and a request a turn. */
function readPrompt(data: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  const last = endWithReply(state);
  const id = textOf(data, "interactionId") ?? textOf(data, "messageId");
  state["turn"] = id;
  // As its telemetry tells it, by which the two are one turn.
  const prompt = textOf(data, "transformedContent") ?? textOf(data, "content");
  return [...last, { kind: "turn", id, args: whole(prompt), startedAt }];
}

const USAGE = {
  inputTokens: "inputTokens",
  outputTokens: "outputTokens",
  cacheReadTokens: "cacheReadTokens",
  cacheWriteTokens: "cacheWriteTokens",
};

function requestOf(usage: Payload, state: State, endedAt: number | undefined): PartialObservation {
  const model = textOf(usage, "model");
  const request: PartialObservation = { kind: "llm", id: textOf(usage, "apiCallId"), turn: textOf(state, "turn") };
  return {
    ...request,
    name: model,
    model,
    usage: usageIn(usage, USAGE),
    latency: numberOf(usage, "duration"),
    endedAt,
  };
}

/** A subagent, whose lines stand among those of the turn. Its telemetry knows it by the call that began it alone. */
const subagent = (id: string | undefined, state: State): PartialObservation => ({
  kind: "subagent",
  id,
  turn: textOf(state, "turn"),
});

const begunBy = (data: Payload, id: string | undefined, state: State): PartialObservation => ({
  ...subagent(id, state),
  parentCall: textOf(data, "toolCallId"),
  name: textOf(data, "agentName"),
});

/** The answer that calls nothing. */
const replyIn = (data: Payload): string | undefined =>
  Array.isArray(data["toolRequests"]) && data["toolRequests"].length > 0 ? undefined : textOf(data, "content");

function readAnswer(data: Payload, agent: string | undefined, state: State): PartialObservation[] {
  const [result, id, reply] = [textOf(data, "content"), textOf(data, "apiCallId"), replyIn(data)];
  if (id === undefined || result === undefined) return [];
  const known: PartialObservation = { kind: "llm", id, turn: textOf(state, "turn"), parentCall: agent };
  const answer = { ...known, model: textOf(data, "model"), result: whole(result) };
  return agent !== undefined && reply !== undefined
    ? [answer, { ...subagent(agent, state), result: whole(reply) }]
    : [answer];
}

const callOf = (data: Payload, agent: string | undefined, state: State): PartialObservation => ({
  kind: "tool",
  parentCall: agent,
  id: textOf(data, "toolCallId"),
  turn: textOf(state, "turn"),
  name: textOf(data, "toolName"),
});

/** A shell's command that failed is a success here; its exit code shows the failure. */
function outcomeOf(data: Payload): PartialObservation {
  const code = numberOf(objectOf(data, "shellExecution"), "exitCode");
  const text = textOf(objectOf(data, "result"), "content");
  const error = textOf(objectOf(data, "error"), "message");
  const failed = data["success"] === false || (code !== undefined && code !== 0);
  return { result: whole(text), ...(failed ? { success: false, error: error ?? text } : { success: true }) };
}
