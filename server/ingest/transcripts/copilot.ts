import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { numberOf, objectOf, type Payload, textOf, whole } from "../hooks/fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { Usage } from "../observe/observation.ts";
import { endWithReply, failedTurn, holdReply, INTERRUPTED, type State, type Transcript, timeIn } from "./transcript.ts";

/** GitHub Copilot CLI: ~/.copilot/session-state/<session>/events.jsonl, a line an event. */
export const copilot: Transcript = {
  source: "github-copilot",
  verified: ["1.0.102"],
  session: (line, state) => textOf(state, "session") ?? textOf(objectOf(line, "data"), "sessionId"),
  read(line, state) {
    const data = objectOf(line, "data");
    const at = timeIn(line);
    switch (line["type"]) {
      case "session.start":
        return aboutSession(data, at);
      case "user.message":
        return isSubagents(line) ? [] : readPrompt(data, state, at);
      case "session.usage_record":
        return [requestOf(objectOf(data, "usage"), state, at)];
      case "assistant.message":
        if (!isSubagents(line)) holdReply(state, replyIn(data), at);
        return readAnswer(data, state);
      case "tool.execution_start":
        return [{ ...callOf(data, state), args: whole(data["arguments"]), startedAt: at }];
      case "tool.execution_complete":
        return [{ ...callOf(data, state), ...outcomeOf(data), endedAt: at, ends: "event" }];
      case "abort":
        return [failedTurn(textOf(state, "turn"), INTERRUPTED, at)];
      case "session.compaction_complete":
        return [{ kind: "other", name: "compaction", turn: textOf(state, "turn"), startedAt: at, endedAt: at }];
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

function requestOf(usage: Payload, state: State, endedAt: number | undefined): PartialObservation {
  const model = textOf(usage, "model");
  const counts = defined<Usage>({
    inputTokens: numberOf(usage, "inputTokens"),
    outputTokens: numberOf(usage, "outputTokens"),
    cacheReadTokens: numberOf(usage, "cacheReadTokens"),
    cacheWriteTokens: numberOf(usage, "cacheWriteTokens"),
  });
  const request: PartialObservation = { kind: "llm", id: textOf(usage, "apiCallId"), turn: textOf(state, "turn") };
  return { ...request, name: model, model, usage: counts, latency: numberOf(usage, "duration"), endedAt };
}

/** A subagent's lines stand among those of the turn. Its telemetry has no id that they have. */
const isSubagents = (line: Payload): boolean => textOf(line, "agentId") !== undefined;

/** The answer that calls nothing. */
const replyIn = (data: Payload): string | undefined =>
  Array.isArray(data["toolRequests"]) && data["toolRequests"].length > 0 ? undefined : textOf(data, "content");

function readAnswer(data: Payload, state: State): PartialObservation[] {
  const [result, id] = [textOf(data, "content"), textOf(data, "apiCallId")];
  if (id === undefined || result === undefined) return [];
  return [{ kind: "llm", id, turn: textOf(state, "turn"), model: textOf(data, "model"), result: whole(result) }];
}

const callOf = (data: Payload, state: State): PartialObservation => ({
  kind: "tool",
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
