import type { PartialObservation } from "../agent-hooks.ts";
import { type Payload, readNumber, readObject, readString, readTexts, readUsage, toObservedText } from "../fields.ts";
import {
  callOutcome,
  createCompaction,
  createReaderByLineType,
  endTurnWithHeldReply,
  failedTurn,
  holdPossibleLastReply,
  type TranscriptReader,
  type TranscriptReaderState,
  TURN_INTERRUPTED_ERROR,
} from "../transcript.ts";

/**
 * Readers of events by type. `agentId` names the subagent of an event. Lines of subagents stand between the lines of
 * the turn.
 */
const readEvent = createReaderByLineType({
  "session.start": (data, _, startedAt) => [{ startedAt, sessionMetadata: readTexts(data, ABOUT) }],
  "user.message": readPrompt,
  "session.usage_record": readRequest,
  "assistant.message": readAnswer,
  "tool.execution_start": (data, state, startedAt) => [
    { ...callOf(data, state), args: toObservedText(data["arguments"]), startedAt },
  ],
  "tool.execution_complete": (data, state, endedAt) => [
    { ...callOf(data, state), ...outcomeOf(data), endedAt, ends: "event" },
  ],
  "subagent.started": (data, state, startedAt) => [{ ...subagent(data, state), startedAt }],
  "subagent.completed": (data, state, endedAt) => [
    { ...subagent(data, state), ...callOutcome(false, undefined), endedAt, ends: "event" },
  ],
  "subagent.failed": (data, state, endedAt) => [
    { ...subagent(data, state), ...callOutcome(true, readString(data, "error")), endedAt, ends: "event" },
  ],
  abort: (_, state, at) => [failedTurn(state.turn, TURN_INTERRUPTED_ERROR, at)],
  "session.compaction_complete": (_, state, at) => [createCompaction(state, at)],
  "session.shutdown": (_, state) => endTurnWithHeldReply(state),
});

/** GitHub Copilot CLI 1.0: ~/.copilot/session-state/<session>/events.jsonl, one event per line. */
export const copilot: TranscriptReader = {
  source: "github-copilot",
  session: (line, state) => state.session ?? readString(readObject(line, "data"), "sessionId"),
  read: (line, state, at) =>
    readEvent({ ...readObject(line, "data"), type: line["type"], agentId: line["agentId"] }, state, at),
};

const agentOf = (data: Payload): string | undefined => readString(data, "agentId");

const ABOUT = {
  cwd: "context.cwd",
  version: "copilotVersion",
  gitBranch: "context.branch",
  gitCommit: "context.headCommit",
};

/**
 * In Copilot's files, an interaction is a prompt with everything that follows, and a turn is a model call. Trackway's
 * turn therefore is a Copilot interaction.
 */
function readPrompt(data: Payload, state: TranscriptReaderState, startedAt: number | undefined): PartialObservation[] {
  if (agentOf(data) !== undefined) return [];
  const last = endTurnWithHeldReply(state);
  state.turn = readString(data, "interactionId") ?? readString(data, "messageId");
  // Uses the prompt in the form that telemetry contains, so that the transcript and telemetry match as one turn.
  const prompt = readString(data, "transformedContent") ?? readString(data, "content");
  return [...last, { kind: "turn", id: state.turn, args: toObservedText(prompt), startedAt }];
}

const USAGE = {
  inputTokens: "inputTokens",
  outputTokens: "outputTokens",
  cacheReadTokens: "cacheReadTokens",
  cacheWriteTokens: "cacheWriteTokens",
};

function readRequest(
  data: Payload,
  { turn }: TranscriptReaderState,
  endedAt: number | undefined,
): PartialObservation[] {
  const sent = readObject(data, "usage");
  const [id, model, latency] = [readString(sent, "apiCallId"), readString(sent, "model"), readNumber(sent, "duration")];
  const usage = readUsage(sent, USAGE);
  return [{ kind: "llm", id, turn, parentCall: agentOf(data), name: model, model, usage, latency, endedAt }];
}

function readAnswer(data: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const [agent, id, text] = [agentOf(data), readString(data, "apiCallId"), readString(data, "content")];
  const isLast = !Array.isArray(data["toolRequests"]) || data["toolRequests"].length === 0;
  if (agent === undefined) holdPossibleLastReply(state, isLast ? text : undefined, at);
  if (id === undefined || text === undefined) return [];
  const [turn, model, result] = [state.turn, readString(data, "model"), toObservedText(text)];
  const answer: PartialObservation = { kind: "llm", id, turn, parentCall: agent, model, result };
  return agent !== undefined && isLast ? [answer, { kind: "subagent", id: agent, turn, result }] : [answer];
}

/**
 * Creates the observation of a subagent. The observation names the call that started the subagent, because telemetry
 * identifies the subagent only by that call.
 */
const subagent = (data: Payload, { turn }: TranscriptReaderState): PartialObservation => ({
  ...{ kind: "subagent", id: agentOf(data), turn },
  parentCall: readString(data, "toolCallId"),
  name: readString(data, "agentName"),
});

const callOf = (data: Payload, { turn }: TranscriptReaderState): PartialObservation => ({
  ...{ kind: "tool", parentCall: agentOf(data), turn },
  id: readString(data, "toolCallId"),
  name: readString(data, "toolName"),
});

/** Copilot reports a failed shell command as a success. The exit code shows the failure. */
function outcomeOf(data: Payload): PartialObservation {
  const code = readNumber(readObject(data, "shellExecution"), "exitCode") ?? 0;
  const text = readString(readObject(data, "result"), "content");
  const error = readString(readObject(data, "error"), "message");
  return { result: toObservedText(text), ...callOutcome(data["success"] === false || code !== 0, error ?? text) };
}
