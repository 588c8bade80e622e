import type { PartialObservation } from "../agent-hooks.ts";
import {
  joinTexts,
  type Payload,
  readNumber,
  readObject,
  readObjects,
  readString,
  readTexts,
  readTime,
  readUsage,
  toObservedText,
} from "../fields.ts";
import {
  callOutcome,
  createCompaction,
  createReaderByLineType,
  endTurnWithHeldReply,
  holdPossibleLastReply,
  MAX_CARRIED_CHARS,
  type TranscriptReader,
  type TranscriptReaderState,
} from "../transcript.ts";

/**
 * Reads the files of Qwen Code 0.24: ~/.qwen/projects/<folder>/chats/<session>.jsonl, and subagents/<session>/*.jsonl.
 * Telemetry records appear between the messages, with the same ids of prompts, responses and calls as in telemetry.
 */
export const qwenCode: TranscriptReader = {
  source: "qwen-code",
  session: (line) => readString(line, "sessionId"),
  read: createReaderByLineType({
    user: readPrompt,
    assistant: readAnswer,
    tool_result: readResults,
    system: readSystem,
  }),
};

/** Returns the subagent to whose file the line belongs. */
const subagentOf = (line: Payload): string | undefined => readString(line, "agentId");

const partsOf = (line: Payload): Payload[] => readObjects(readObject(line, "message"), "parts");

const textsOf = (line: Payload): string | undefined =>
  joinTexts(partsOf(line).flatMap((part) => (part["thought"] === true ? [] : (readString(part, "text") ?? []))));

/**
 * Keeps a prompt in the state, because the line of a prompt contains no prompt id. The next telemetry record contains
 * the prompt's id.
 */
function readPrompt(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const text = textsOf(line);
  if (text === undefined || subagentOf(line) !== undefined) return [];
  const last = endTurnWithHeldReply(state);
  const about = readTexts(line, { cwd: "cwd", gitBranch: "gitBranch", version: "version" });
  state["prompt"] = { id: readString(line, "uuid"), text: text.slice(0, MAX_CARRIED_CHARS), at, about };
  return last;
}

/** Starts the turn of the last prompt, when its id is known. */
function begin(state: TranscriptReaderState, named?: string): PartialObservation[] {
  const prompt = readObject(state, "prompt");
  const [id, text] = [named ?? readString(prompt, "id"), readString(prompt, "text")];
  if (text === undefined || id === undefined) return [];
  state["prompt"] = undefined;
  state.turn = id;
  const [args, sessionMetadata] = [
    toObservedText(text, text.length === MAX_CARRIED_CHARS),
    readObject(prompt, "about"),
  ];
  return [{ kind: "turn", id, args, startedAt: readTime(prompt, "at"), sessionMetadata }];
}

function readAnswer(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const parentCall = subagentOf(line);
  const begun = begin(state);
  const calls = partsOf(line)
    .map((part) => readObject(part, "functionCall"))
    .filter((call) => readString(call, "id") !== undefined);
  const reply = calls.length === 0 ? textsOf(line) : undefined;
  if (parentCall === undefined) holdPossibleLastReply(state, reply, at);
  const { turn } = state;
  const end = { kind: "subagent", id: parentCall, result: toObservedText(reply), endedAt: at, ends: "event" } as const;
  return [
    ...begun,
    ...(parentCall !== undefined && reply !== undefined ? [end] : []),
    ...calls.flatMap((call) => subagentBy(call, turn, at)),
    ...calls.map((call): PartialObservation => {
      const [id, name, args] = [readString(call, "id"), readString(call, "name"), toObservedText(call["args"])];
      return { kind: "tool", id, turn, parentCall, name, args, startedAt: at };
    }),
  ];
}

/** Returns the subagent that a call starts. The subagent's id consists of its type and the call's id. */
function subagentBy(call: Payload, turn: string | undefined, startedAt: number | undefined): PartialObservation[] {
  const [id, type] = [readString(call, "id"), readString(readObject(call, "args"), "subagent_type")];
  if (call["name"] !== "agent" || type === undefined) return [];
  return [{ kind: "subagent", id: `${type}-${id}`, parentCall: id, name: type, turn, startedAt }];
}

/**
 * Returns the displayed output, which hooks also report. The model receives the output with the command and exit code.
 */
const shownIn = (result: Payload, output: unknown): string | undefined =>
  readString(result, "resultDisplay") ||
  readString(readObject(result, "resultDisplay"), "text") ||
  (typeof output === "string" ? (PRINTED.exec(output)?.[1] ?? output) : undefined);

/**
 * Matches the output of a command within the text that the model receives. A subagent's file contains only that text.
 */
const PRINTED = /^Command: [\s\S]*?\nDirectory: .*\nOutput: (?!\(empty\)\n)([\s\S]*?)\nError: /;

function readResults(
  line: Payload,
  { turn }: TranscriptReaderState,
  endedAt: number | undefined,
): PartialObservation[] {
  const result = readObject(line, "toolCallResult");
  const parentCall = subagentOf(line);
  return partsOf(line).flatMap((part): PartialObservation[] => {
    const { id, response } = readObject(part, "functionResponse");
    if (typeof id !== "string") return [];
    const { output, error } = readObject({ response }, "response");
    const failed = typeof error === "string" || /^(?:error|cancelled)$/.test(readString(result, "status") ?? "");
    const text = typeof error === "string" ? error : shownIn(result, output);
    const call = { kind: "tool", id, turn, parentCall, result: toObservedText(text), endedAt, ends: "event" } as const;
    return [{ ...call, ...callOutcome(failed, text ?? "failed") }];
  });
}

function readSystem(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const payload = readObject(line, "systemPayload");
  if (line["subtype"] === "chat_compression") return [createCompaction(state, at)];
  if (line["subtype"] === "custom_title")
    return [{ startedAt: at, sessionMetadata: readTexts(payload, { title: "customTitle" }) }];
  const event = readObject(payload, "uiEvent");
  // The id of a subagent's prompt may be the id of the surrounding prompt, followed by `/automatic/…`. Without this
  // suffix, the id is the id of the surrounding prompt.
  const prompt = subagentIn(event) ? undefined : readString(event, "prompt_id")?.replace(/\/automatic\/.*$/, "");
  const begun = prompt === undefined ? [] : begin(state, prompt);
  return event["event.name"] === "qwen-code.api_response" ? [...begun, requestOf(event, state, at)] : begun;
}

/**
 * Returns the subagent's id from the prompt id of a telemetry record. The prompt id of a subagent has the form
 * `session#subagent#0`.
 */
const subagentIn = (event: Payload): string | undefined =>
  /[^#]#([^#]+)#\d+$/.exec(readString(event, "prompt_id") ?? "")?.[1];

const USAGE = {
  inputTokens: "input_token_count",
  outputTokens: "output_token_count",
  cacheReadTokens: "cached_content_token_count",
};

function requestOf(event: Payload, { turn }: TranscriptReaderState, at: number | undefined): PartialObservation {
  const model = readString(event, "model");
  return {
    ...{ kind: "llm", id: readString(event, "response_id"), turn, parentCall: subagentIn(event), name: model, model },
    result: toObservedText(readString(event, "response_text")),
    usage: readUsage(event, USAGE),
    latency: readNumber(event, "duration_ms"),
    endedAt: readTime(event, "event.timestamp") ?? at,
  };
}
