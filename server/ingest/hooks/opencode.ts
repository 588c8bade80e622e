import { numberOf, objectOf, objectsOf, type Payload, textOf, usageIn, whole } from "../fields.ts";
import { defined } from "../observe/fold/facts.ts";
import { unquoted } from "../otlp/meaning/messages.ts";
import type { AgentHooks, PartialObservation } from "./agent-hooks.ts";

/**
 * opencode: a plugin sends the events that plugins see, with the outermost session and its prompt. A session that a tool
 * began is a subagent, under its id.
 */
export const opencode: AgentHooks = {
  source: "opencode",
  common: (payload) => ({
    session: textOf(payload, "session_id"),
    turn: textOf(payload, "turn_id"),
    sessionMetadata: defined({ cwd: textOf(payload, "cwd") }),
  }),
  events: {
    "chat.message": (payload) => ({
      ...agent(payload),
      name: textOf(payload, "agent_id") && textOf(payload, "agent"),
      args: whole(unquoted(textOf(payload, "prompt") ?? "")),
      startedAt: numberOf(payload, "time"),
    }),
    "permission.asked": (payload, now) => ({
      waits: { for: "permission", id: textOf(payload, "request_id"), call: textOf(payload, "call_id") },
      name: textOf(payload, "permission"),
      args: whole(payload["input"]),
      startedAt: numberOf(payload, "time") ?? now,
    }),
    "permission.replied": (payload, now) => replied(payload, now, "permission"),
    "question.asked": (payload, now) => ({
      waits: { for: "answer", id: textOf(payload, "request_id"), call: textOf(payload, "call_id") },
      args: whole(questionsOf(payload)),
      startedAt: numberOf(payload, "time") ?? now,
    }),
    "question.replied": (payload, now) => replied(payload, now, "answer"),
    "question.rejected": (payload, now) => replied(payload, now, "answer"),
    "session.idle": (payload, now) => ({
      ...agent(payload),
      endedAt: numberOf(payload, "time") ?? now,
      ends: textOf(payload, "agent_id") ? "event" : "turn",
    }),
    "message.updated": (payload) => answer(payload, objectOf(payload, "info")),
    "message.part.updated": (payload) => {
      const part = objectOf(payload, "part");
      if (part["type"] === "tool") return callsIn(part, textOf(payload, "agent_id"));
      const end = numberOf(objectOf(part, "time"), "end");
      return { ...request(payload, textOf(part, "messageID")), result: whole(part["text"]), endedAt: end };
    },
  },
};

/** The questions that a model asks at once, a line each. */
const questionsOf = (payload: Payload): string | undefined =>
  objectsOf(payload, "questions")
    .flatMap((each) => textOf(each, "question") ?? [])
    .join("\n") || undefined;

const replied = (payload: Payload, now: number, asked: "permission" | "answer"): PartialObservation => ({
  waits: { for: asked, id: textOf(payload, "request_id"), over: true },
  startedAt: numberOf(payload, "time") ?? now,
});

const agent = (payload: Payload): PartialObservation => {
  const subagent = textOf(payload, "agent_id");
  return subagent ? { kind: "subagent", id: subagent } : { kind: "turn", id: textOf(payload, "turn_id") };
};

const request = (payload: Payload, id: string | undefined): PartialObservation => ({
  kind: "llm",
  id,
  parentCall: textOf(payload, "agent_id"),
});

/** The words of a message's error. */
export const errorOf = (info: Payload): string | undefined => {
  const failure = objectOf(info, "error");
  return textOf(objectOf(failure, "data"), "message") ?? textOf(failure, "name");
};

const USAGE = {
  inputTokens: "tokens.input",
  outputTokens: "tokens.output",
  cacheReadTokens: "tokens.cache.read",
  cacheWriteTokens: "tokens.cache.write",
  cost: "cost",
};

/**
 * The request that a message of the model is, of a subagent where `parentCall` names one. It ends with its calls, so that its end
 * says nothing of how long the model took.
 */
export function requestIn(info: Payload, parentCall: string | undefined): PartialObservation {
  const [model, error] = [textOf(info, "modelID"), errorOf(info)];
  return {
    ...{ kind: "llm", id: textOf(info, "id"), parentCall, name: model, model },
    startedAt: numberOf(objectOf(info, "time"), "created"),
    usage: usageIn(info, USAGE),
    ...(error !== undefined && { success: false, error }),
  };
}

function answer(payload: Payload, info: Payload): PartialObservation[] {
  const [own, error] = [requestIn(info, textOf(payload, "agent_id")), errorOf(info)];
  return error === undefined ? [own] : [own, { ...agent(payload), success: false, error }];
}

const TASK_RESULT = /<task_result>\n?([\s\S]*?)\n?<\/task_result>/;

/** The call that a part of a message is, and the subagent that it began. */
export function callsIn(part: Payload, parentCall: string | undefined): PartialObservation[] {
  const [id, state] = [textOf(part, "callID"), objectOf(part, "state")];
  const [time, told] = [objectOf(state, "time"), objectOf(state, "metadata")];
  const [output, end] = [textOf(state, "output"), numberOf(time, "end")];
  const exit = numberOf(told, "exit");
  const error = textOf(state, "error") ?? ((exit ?? 0) === 0 ? undefined : output);
  const own: PartialObservation = {
    ...{ kind: "tool", id, parentCall },
    name: textOf(part, "tool"),
    args: whole(state["input"]),
    startedAt: numberOf(time, "start"),
    endedAt: end,
    ...(end !== undefined && { success: error === undefined, result: whole(output, told["truncated"] === true) }),
    ...(error !== undefined && { error }),
    ...(exit !== undefined && { metadata: { exit_code: exit } }),
  };
  const began = textOf(told, "sessionId");
  if (began === undefined) return [own];
  const result = whole(TASK_RESULT.exec(output ?? "")?.[1]);
  return [own, { kind: "subagent", id: began, parentCall: id, result }];
}
