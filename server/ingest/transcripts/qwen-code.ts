import {
  joined,
  numberOf,
  objectOf,
  objectsOf,
  type Payload,
  textOf,
  textsIn,
  timeIn,
  usageIn,
  whole,
} from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import {
  byType,
  CARRIED_CHARS,
  compaction,
  endWithReply,
  holdReply,
  outcome,
  type State,
  type Transcript,
} from "./transcript.ts";

/**
 * Qwen Code 0.24: ~/.qwen/projects/<folder>/chats/<session>.jsonl, and subagents/<session>/*.jsonl. What it tells of itself as
 * telemetry stands among its messages, with the ids of that: prompt, response, call.
 */
export const qwenCode: Transcript = {
  source: "qwen-code",
  session: (line) => textOf(line, "sessionId"),
  read: byType({ user: readPrompt, assistant: readAnswer, tool_result: readResults, system: readSystem }),
};

/** The subagent whose file a line stands in. */
const subagentOf = (line: Payload): string | undefined => textOf(line, "agentId");

const partsOf = (line: Payload): Payload[] => objectsOf(objectOf(line, "message"), "parts");

const textsOf = (line: Payload): string | undefined =>
  joined(partsOf(line).flatMap((part) => (part["thought"] === true ? [] : (textOf(part, "text") ?? []))));

/** A prompt has no id in its own line: the first report behind it names one. */
function readPrompt(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const text = textsOf(line);
  if (text === undefined || subagentOf(line) !== undefined) return [];
  const last = endWithReply(state);
  const about = textsIn(line, { cwd: "cwd", gitBranch: "gitBranch", version: "version" });
  state["prompt"] = { id: textOf(line, "uuid"), text: text.slice(0, CARRIED_CHARS), at, about };
  return last;
}

/** The turn that begins with the prompt before, once its id is known. */
function begin(state: State, named?: string): PartialObservation[] {
  const prompt = objectOf(state, "prompt");
  const [id, text] = [named ?? textOf(prompt, "id"), textOf(prompt, "text")];
  if (text === undefined || id === undefined) return [];
  state["prompt"] = undefined;
  state.turn = id;
  const [args, sessionMetadata] = [whole(text, text.length === CARRIED_CHARS), objectOf(prompt, "about")];
  return [{ kind: "turn", id, args, startedAt: timeIn(prompt, "at"), sessionMetadata }];
}

function readAnswer(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const parentCall = subagentOf(line);
  const begun = begin(state);
  const calls = partsOf(line)
    .map((part) => objectOf(part, "functionCall"))
    .filter((call) => textOf(call, "id") !== undefined);
  const reply = calls.length === 0 ? textsOf(line) : undefined;
  if (parentCall === undefined) holdReply(state, reply, at);
  const { turn } = state;
  const end = { kind: "subagent", id: parentCall, result: whole(reply), endedAt: at, ends: "event" } as const;
  return [
    ...begun,
    ...(parentCall !== undefined && reply !== undefined ? [end] : []),
    ...calls.flatMap((call) => subagentBy(call, turn, at)),
    ...calls.map((call): PartialObservation => {
      const [id, name, args] = [textOf(call, "id"), textOf(call, "name"), whole(call["args"])];
      return { kind: "tool", id, turn, parentCall, name, args, startedAt: at };
    }),
  ];
}

/** The subagent that a call begins: its id is its type, and the call. */
function subagentBy(call: Payload, turn: string | undefined, startedAt: number | undefined): PartialObservation[] {
  const [id, type] = [textOf(call, "id"), textOf(objectOf(call, "args"), "subagent_type")];
  if (call["name"] !== "agent" || type === undefined) return [];
  return [{ kind: "subagent", id: `${type}-${id}`, parentCall: id, name: type, turn, startedAt }];
}

/** The output as it is shown, which hooks report: the model gets it with the command and the exit code around it. */
const shownIn = (result: Payload, output: unknown): string | undefined =>
  textOf(result, "resultDisplay") ||
  textOf(objectOf(result, "resultDisplay"), "text") ||
  (typeof output === "string" ? (PRINTED.exec(output)?.[1] ?? output) : undefined);

/** The output of a command in what the model gets: a subagent's file holds nothing else. */
const PRINTED = /^Command: [\s\S]*?\nDirectory: .*\nOutput: (?!\(empty\)\n)([\s\S]*?)\nError: /;

function readResults(line: Payload, { turn }: State, endedAt: number | undefined): PartialObservation[] {
  const result = objectOf(line, "toolCallResult");
  const parentCall = subagentOf(line);
  return partsOf(line).flatMap((part): PartialObservation[] => {
    const { id, response } = objectOf(part, "functionResponse");
    if (typeof id !== "string") return [];
    const { output, error } = objectOf({ response }, "response");
    const failed = typeof error === "string" || /^(?:error|cancelled)$/.test(textOf(result, "status") ?? "");
    const text = typeof error === "string" ? error : shownIn(result, output);
    const call = { kind: "tool", id, turn, parentCall, result: whole(text), endedAt, ends: "event" } as const;
    return [{ ...call, ...outcome(failed, text ?? "failed") }];
  });
}

function readSystem(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const payload = objectOf(line, "systemPayload");
  if (line["subtype"] === "chat_compression") return [compaction(state, at)];
  if (line["subtype"] === "custom_title")
    return [{ startedAt: at, sessionMetadata: textsIn(payload, { title: "customTitle" }) }];
  const event = objectOf(payload, "uiEvent");
  // The prompts of a subagent have an id under that of the prompt around it.
  const prompt = subagentIn(event) ? undefined : textOf(event, "prompt_id")?.replace(/\/automatic\/.*$/, "");
  const begun = prompt === undefined ? [] : begin(state, prompt);
  return event["event.name"] === "qwen-code.api_response" ? [...begun, requestOf(event, state, at)] : begun;
}

/** The subagent whose prompt a report names: `session#subagent#0`. */
const subagentIn = (event: Payload): string | undefined =>
  /[^#]#([^#]+)#\d+$/.exec(textOf(event, "prompt_id") ?? "")?.[1];

const USAGE = {
  inputTokens: "input_token_count",
  outputTokens: "output_token_count",
  cacheReadTokens: "cached_content_token_count",
};

function requestOf(event: Payload, { turn }: State, at: number | undefined): PartialObservation {
  const model = textOf(event, "model");
  return {
    ...{ kind: "llm", id: textOf(event, "response_id"), turn, parentCall: subagentIn(event), name: model, model },
    result: whole(textOf(event, "response_text")),
    usage: usageIn(event, USAGE),
    latency: numberOf(event, "duration_ms"),
    endedAt: timeIn(event, "event.timestamp") ?? at,
  };
}
