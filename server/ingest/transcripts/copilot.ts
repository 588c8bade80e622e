import { numberOf, objectOf, type Payload, textOf, textsIn, usageIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import {
  byType,
  compaction,
  endWithReply,
  failedTurn,
  holdReply,
  INTERRUPTED,
  outcome,
  type State,
  type Transcript,
} from "./transcript.ts";

/** Events, by their data. `agentId` is the subagent that one is of: its lines stand among those of the turn. */
const readEvent = byType({
  "session.start": (data, _, startedAt) => [{ startedAt, sessionMetadata: textsIn(data, ABOUT) }],
  "user.message": readPrompt,
  "session.usage_record": readRequest,
  "assistant.message": readAnswer,
  "tool.execution_start": (data, state, startedAt) => [
    { ...callOf(data, state), args: whole(data["arguments"]), startedAt },
  ],
  "tool.execution_complete": (data, state, endedAt) => [
    { ...callOf(data, state), ...outcomeOf(data), endedAt, ends: "event" },
  ],
  "subagent.started": (data, state, startedAt) => [{ ...subagent(data, state), startedAt }],
  "subagent.completed": (data, state, endedAt) => [
    { ...subagent(data, state), ...outcome(false, undefined), endedAt, ends: "event" },
  ],
  "subagent.failed": (data, state, endedAt) => [
    { ...subagent(data, state), ...outcome(true, textOf(data, "error")), endedAt, ends: "event" },
  ],
  abort: (_, state, at) => [failedTurn(state.turn, INTERRUPTED, at)],
  "session.compaction_complete": (_, state, at) => [compaction(state, at)],
  "session.shutdown": (_, state) => endWithReply(state),
});

/** GitHub Copilot CLI 1.0: ~/.copilot/session-state/<session>/events.jsonl, a line an event. */
export const copilot: Transcript = {
  source: "github-copilot",
  session: (line, state) => state.session ?? textOf(objectOf(line, "data"), "sessionId"),
  read: (line, state, at) =>
    readEvent({ ...objectOf(line, "data"), type: line["type"], agentId: line["agentId"] }, state, at),
};

const agentOf = (data: Payload): string | undefined => textOf(data, "agentId");

const ABOUT = {
  cwd: "context.cwd",
  version: "copilotVersion",
  gitBranch: "context.branch",
  gitCommit: "context.headCommit",
};

/** A prompt with all that it brings about is an interaction here, and a request a turn. */
function readPrompt(data: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  if (agentOf(data) !== undefined) return [];
  const last = endWithReply(state);
  state.turn = textOf(data, "interactionId") ?? textOf(data, "messageId");
  // As its telemetry tells it, by which the two are one turn.
  const prompt = textOf(data, "transformedContent") ?? textOf(data, "content");
  return [...last, { kind: "turn", id: state.turn, args: whole(prompt), startedAt }];
}

const USAGE = {
  inputTokens: "inputTokens",
  outputTokens: "outputTokens",
  cacheReadTokens: "cacheReadTokens",
  cacheWriteTokens: "cacheWriteTokens",
};

function readRequest(data: Payload, { turn }: State, endedAt: number | undefined): PartialObservation[] {
  const sent = objectOf(data, "usage");
  const [id, model, latency] = [textOf(sent, "apiCallId"), textOf(sent, "model"), numberOf(sent, "duration")];
  const usage = usageIn(sent, USAGE);
  return [{ kind: "llm", id, turn, parentCall: agentOf(data), name: model, model, usage, latency, endedAt }];
}

function readAnswer(data: Payload, state: State, at: number | undefined): PartialObservation[] {
  const [agent, id, text] = [agentOf(data), textOf(data, "apiCallId"), textOf(data, "content")];
  const isLast = !Array.isArray(data["toolRequests"]) || data["toolRequests"].length === 0;
  if (agent === undefined) holdReply(state, isLast ? text : undefined, at);
  if (id === undefined || text === undefined) return [];
  const [turn, model, result] = [state.turn, textOf(data, "model"), whole(text)];
  const answer: PartialObservation = { kind: "llm", id, turn, parentCall: agent, model, result };
  return agent !== undefined && isLast ? [answer, { kind: "subagent", id: agent, turn, result }] : [answer];
}

/** A subagent. Its telemetry knows it by the call that began it alone. */
const subagent = (data: Payload, { turn }: State): PartialObservation => ({
  ...{ kind: "subagent", id: agentOf(data), turn },
  parentCall: textOf(data, "toolCallId"),
  name: textOf(data, "agentName"),
});

const callOf = (data: Payload, { turn }: State): PartialObservation => ({
  ...{ kind: "tool", parentCall: agentOf(data), turn },
  id: textOf(data, "toolCallId"),
  name: textOf(data, "toolName"),
});

/** A shell's command that failed is a success here; its exit code shows the failure. */
function outcomeOf(data: Payload): PartialObservation {
  const code = numberOf(objectOf(data, "shellExecution"), "exitCode") ?? 0;
  const text = textOf(objectOf(data, "result"), "content");
  const error = textOf(objectOf(data, "error"), "message");
  return { result: whole(text), ...outcome(data["success"] === false || code !== 0, error ?? text) };
}
