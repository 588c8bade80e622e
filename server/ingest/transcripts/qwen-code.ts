import { numberOf, objectOf, objectsOf, type Payload, textOf, timeIn, usageIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { defined } from "../observe/fold/facts.ts";
import { compaction, endWithReply, holdReply, type State, type Transcript } from "./transcript.ts";

/**
 * Qwen Code: ~/.qwen/projects/<folder>/chats/<session>.jsonl, and subagents/<session>/*.jsonl. What it tells of itself as
 * telemetry stands among its messages, with the ids of that: prompt, response, call.
 */
export const qwenCode: Transcript = {
  source: "qwen-code",
  verified: ["0.24.4"],
  session: (line) => textOf(line, "sessionId"),
  read(line, state) {
    switch (line["type"]) {
      case "user":
        return readPrompt(line, state);
      case "assistant":
        return readAnswer(line, state);
      case "tool_result":
        return readResults(line, state);
      case "system":
        return readSystem(line, state);
      default:
        return [];
    }
  },
  close: (state, end) => (end ? endWithReply(state) : []),
};

/** The subagent whose file a line stands in. */
const subagentOf = (line: Payload): string | undefined => textOf(line, "agentId");

const textsOf = (line: Payload): string | undefined => {
  const texts = objectsOf(objectOf(line, "message"), "parts").flatMap((part) =>
    part["thought"] === true ? [] : (textOf(part, "text") ?? []),
  );
  return texts.length > 0 ? texts.join("\n") : undefined;
};

/** A prompt has no id in its own line: the first report behind it names one. */
function readPrompt(line: Payload, state: State): PartialObservation[] {
  const text = textsOf(line);
  if (text === undefined || subagentOf(line) !== undefined) return [];
  const last = endWithReply(state);
  const about = defined({
    cwd: textOf(line, "cwd"),
    gitBranch: textOf(line, "gitBranch"),
    version: textOf(line, "version"),
  });
  state["prompt"] = { id: textOf(line, "uuid"), text: text.slice(0, PROMPT_CHARS), at: timeIn(line), about };
  return last;
}

/** The most characters of a prompt that the state carries. */
const PROMPT_CHARS = 16_384;

/** The turn that begins with the prompt before, once its id is known. */
function begin(state: State, id: string | undefined): PartialObservation[] {
  const prompt = objectOf(state, "prompt");
  const turn = id ?? textOf(prompt, "id");
  const text = textOf(prompt, "text");
  if (text === undefined || turn === undefined) return [];
  state["prompt"] = undefined;
  state["turn"] = turn;
  const args = text.length < PROMPT_CHARS ? { text } : { text, truncated: true };
  return [
    { kind: "turn", id: turn, args, startedAt: timeIn(prompt, "at"), sessionMetadata: objectOf(prompt, "about") },
  ];
}

function readAnswer(line: Payload, state: State): PartialObservation[] {
  const [at, parentCall] = [timeIn(line), subagentOf(line)];
  const begun = begin(state, undefined);
  const calls = objectsOf(objectOf(line, "message"), "parts").flatMap((part) => {
    const call = objectOf(part, "functionCall");
    return textOf(call, "id") === undefined ? [] : [call];
  });
  const reply = calls.length === 0 ? textsOf(line) : undefined;
  if (parentCall === undefined) holdReply(state, reply, at);
  const turn = textOf(state, "turn");
  const end: PartialObservation = {
    kind: "subagent",
    id: parentCall,
    result: whole(reply),
    endedAt: at,
    ends: "event",
  };
  return [
    ...begun,
    ...(parentCall !== undefined && reply !== undefined ? [end] : []),
    ...calls.flatMap((call) => subagentBy(call, turn, at)),
    ...calls.map(
      (call): PartialObservation => ({
        ...{ kind: "tool", turn, parentCall, startedAt: at },
        id: textOf(call, "id"),
        name: textOf(call, "name"),
        args: whole(call["args"]),
      }),
    ),
  ];
}

/** The subagent that a call begins: its id is its type, and the call. */
function subagentBy(call: Payload, turn: string | undefined, startedAt: number | undefined): PartialObservation[] {
  const [id, type] = [textOf(call, "id"), textOf(objectOf(call, "args"), "subagent_type")];
  if (call["name"] !== "agent" || type === undefined) return [];
  return [{ kind: "subagent", id: `${type}-${id}`, parentCall: id, name: type, turn, startedAt }];
}

/** The output as it is shown, which hooks report: the model gets it with the command and the exit code around it. */
const shownIn = (outcome: Payload, output: unknown): string | undefined =>
  textOf(outcome, "resultDisplay") ||
  textOf(objectOf(outcome, "resultDisplay"), "text") ||
  (typeof output === "string" ? (PRINTED.exec(output)?.[1] ?? output) : undefined);

/** The output of a command in what the model gets: a subagent's file holds nothing else. */
const PRINTED = /^Command: [\s\S]*?\nDirectory: .*\nOutput: (?!\(empty\)\n)([\s\S]*?)\nError: /;

function readResults(line: Payload, state: State): PartialObservation[] {
  const outcome = objectOf(line, "toolCallResult");
  return objectsOf(objectOf(line, "message"), "parts").flatMap((part): PartialObservation[] => {
    const { id, response } = objectOf(part, "functionResponse");
    if (typeof id !== "string") return [];
    const { output, error } = objectOf({ response }, "response");
    const failed = typeof error === "string" || /^(?:error|cancelled)$/.test(textOf(outcome, "status") ?? "");
    const text = typeof error === "string" ? error : shownIn(outcome, output);
    const place = { turn: textOf(state, "turn"), parentCall: subagentOf(line) };
    const call = { kind: "tool", id, ...place, endedAt: timeIn(line), ends: "event" } as const;
    return [
      { ...call, result: whole(text), ...(failed ? { success: false, error: text ?? "failed" } : { success: true }) },
    ];
  });
}

function readSystem(line: Payload, state: State): PartialObservation[] {
  const at = timeIn(line);
  if (line["subtype"] === "chat_compression") return [compaction(state, at)];
  if (line["subtype"] === "custom_title") {
    const title = textOf(objectOf(line, "systemPayload"), "customTitle");
    return [{ startedAt: at, sessionMetadata: defined({ title }) }];
  }
  const event = objectOf(objectOf(line, "systemPayload"), "uiEvent");
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

function requestOf(event: Payload, state: State, at: number | undefined): PartialObservation {
  const [model, latency] = [textOf(event, "model"), numberOf(event, "duration_ms")];
  const id = textOf(event, "response_id");
  const request: PartialObservation = { kind: "llm", id, turn: textOf(state, "turn"), parentCall: subagentIn(event) };
  const result = whole(textOf(event, "response_text"));
  return {
    ...request,
    name: model,
    model,
    result,
    usage: usageIn(event, USAGE),
    latency,
    endedAt: timeIn(event, "event.timestamp") ?? at,
  };
}
