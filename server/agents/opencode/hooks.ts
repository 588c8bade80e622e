import type { AgentHooks, PartialObservation } from "../agent-hooks.ts";
import {
  type Payload,
  readNumber,
  readObject,
  readObjects,
  readString,
  readUsage,
  toObservedText,
  unquoteText,
  withoutUndefined,
} from "../fields.ts";

/**
 * Hooks of opencode. A Trackway plugin forwards the events that opencode sends to plugins, and adds the outermost
 * session and its prompt. A session that a tool started is recorded as a subagent, whose id is the id of that session.
 */
export const opencodeHooks: AgentHooks = {
  source: "opencode",
  common: (payload) => ({
    session: readString(payload, "session_id"),
    turn: readString(payload, "turn_id"),
    sessionMetadata: withoutUndefined({ cwd: readString(payload, "cwd") }),
  }),
  events: {
    "chat.message": (payload) => ({
      ...agent(payload),
      name: readString(payload, "agent_id") && readString(payload, "agent"),
      args: toObservedText(unquoteText(readString(payload, "prompt") ?? "")),
      startedAt: readNumber(payload, "time"),
    }),
    "permission.asked": (payload, now) => ({
      waits: { for: "permission", id: readString(payload, "request_id"), call: readString(payload, "call_id") },
      name: readString(payload, "permission"),
      args: toObservedText(payload["input"]),
      startedAt: readNumber(payload, "time") ?? now,
    }),
    "permission.replied": (payload, now) => replied(payload, now, "permission"),
    "question.asked": (payload, now) => ({
      waits: { for: "answer", id: readString(payload, "request_id"), call: readString(payload, "call_id") },
      args: toObservedText(questionsOf(payload)),
      startedAt: readNumber(payload, "time") ?? now,
    }),
    "question.replied": (payload, now) => replied(payload, now, "answer"),
    "question.rejected": (payload, now) => replied(payload, now, "answer"),
    "session.idle": (payload, now) => ({
      ...agent(payload),
      endedAt: readNumber(payload, "time") ?? now,
      ends: readString(payload, "agent_id") ? "event" : "turn",
    }),
    "message.updated": (payload) => answer(payload, readObject(payload, "info")),
    "message.part.updated": (payload) => {
      const part = readObject(payload, "part");
      if (part["type"] === "tool") return readToolCalls(part, readString(payload, "agent_id"));
      const end = readNumber(readObject(part, "time"), "end");
      return { ...request(payload, readString(part, "messageID")), result: toObservedText(part["text"]), endedAt: end };
    },
  },
};

/** Returns the questions that a model asks together, one per line. */
const questionsOf = (payload: Payload): string | undefined =>
  readObjects(payload, "questions")
    .flatMap((each) => readString(each, "question") ?? [])
    .join("\n") || undefined;

const replied = (payload: Payload, now: number, asked: "permission" | "answer"): PartialObservation => ({
  waits: { for: asked, id: readString(payload, "request_id"), over: true },
  startedAt: readNumber(payload, "time") ?? now,
});

const agent = (payload: Payload): PartialObservation => {
  const subagent = readString(payload, "agent_id");
  return subagent ? { kind: "subagent", id: subagent } : { kind: "turn", id: readString(payload, "turn_id") };
};

const request = (payload: Payload, id: string | undefined): PartialObservation => ({
  kind: "llm",
  id,
  parentCall: readString(payload, "agent_id"),
});

/** Returns the error text of a message. */
export const readMessageError = (info: Payload): string | undefined => {
  const failure = readObject(info, "error");
  return readString(readObject(failure, "data"), "message") ?? readString(failure, "name");
};

const USAGE = {
  inputTokens: "tokens.input",
  outputTokens: "tokens.output",
  cacheReadTokens: "tokens.cache.read",
  cacheWriteTokens: "tokens.cache.write",
  cost: "cost",
};

/**
 * Converts a message of the model to an observation of a model call. `parentCall` names the subagent, if any. The
 * message ends only after its tool calls, so the end of the message does not show how long the model took.
 */
export function readModelCall(info: Payload, parentCall: string | undefined): PartialObservation {
  const [model, error] = [readString(info, "modelID"), readMessageError(info)];
  return {
    ...{ kind: "llm", id: readString(info, "id"), parentCall, name: model, model },
    startedAt: readNumber(readObject(info, "time"), "created"),
    usage: readUsage(info, USAGE),
    ...(error !== undefined && { success: false, error }),
  };
}

function answer(payload: Payload, info: Payload): PartialObservation[] {
  const [own, error] = [readModelCall(info, readString(payload, "agent_id")), readMessageError(info)];
  return error === undefined ? [own] : [own, { ...agent(payload), success: false, error }];
}

const TASK_RESULT = /<task_result>\n?([\s\S]*?)\n?<\/task_result>/;

/** Converts a tool part of a message to a call, and to the subagent that the call started, if any. */
export function readToolCalls(part: Payload, parentCall: string | undefined): PartialObservation[] {
  const [id, state] = [readString(part, "callID"), readObject(part, "state")];
  const [time, told] = [readObject(state, "time"), readObject(state, "metadata")];
  const [output, end] = [readString(state, "output"), readNumber(time, "end")];
  const exit = readNumber(told, "exit");
  const error = readString(state, "error") ?? ((exit ?? 0) === 0 ? undefined : output);
  const own: PartialObservation = {
    ...{ kind: "tool", id, parentCall },
    name: readString(part, "tool"),
    args: toObservedText(state["input"]),
    startedAt: readNumber(time, "start"),
    endedAt: end,
    ...(end !== undefined && {
      success: error === undefined,
      result: toObservedText(output, told["truncated"] === true),
    }),
    ...(error !== undefined && { error }),
    ...(exit !== undefined && { metadata: { exit_code: exit } }),
  };
  const began = readString(told, "sessionId");
  if (began === undefined) return [own];
  const result = toObservedText(TASK_RESULT.exec(output ?? "")?.[1]);
  return [own, { kind: "subagent", id: began, parentCall: id, result }];
}
