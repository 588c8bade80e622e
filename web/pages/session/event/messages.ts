/** Part of a message: text, a tool call, or the result of a tool call. */
export interface MessagePart {
  kind: "text" | "call" | "result";
  /** Name of the tool; empty if unknown. */
  name: string;
  /** Text, or a JSON value. */
  value: unknown;
}

/** Message to or from a model. */
export interface Message {
  role: string;
  parts: MessagePart[];
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Fields that contain the list of messages in requests and responses of the model providers. */
const LISTS = ["messages", "contents", "input", "output", "choices", "candidates", "prompt"] as const;
/** Fields that contain the system prompt. */
const SYSTEMS = ["system", "systemInstruction", "system_instruction", "instructions"] as const;

/**
 * Parses the messages in the arguments or the result of a model call. Returns undefined if the value contains no
 * messages.
 */
export function parseMessages(value: unknown): Message[] | undefined {
  if (Array.isArray(value)) return readList(value);
  if (!isObject(value)) return undefined;
  for (const name of LISTS) {
    const messages = Array.isArray(value[name]) && readList(value[name]);
    if (messages) return [...systemOf(value), ...messages];
  }
  return "role" in value ? readList([value]) : undefined;
}

function readList(list: readonly unknown[]): Message[] | undefined {
  const messages = list.map(messageOf);
  return list.length > 0 && messages.every((each) => each !== undefined) ? messages : undefined;
}

function systemOf(value: Members): Message[] {
  const given = SYSTEMS.map((name) => value[name]).find((each) => each !== undefined);
  return given === undefined || given === null ? [] : [{ role: "system", parts: partsOf(given) }];
}

/**
 * Parses one entry of a list of messages: a message, a tool call, or the result of a tool call. Returns undefined for
 * any other entry.
 */
function messageOf(value: unknown): Message | undefined {
  if (!isObject(value)) return undefined;
  const inner = value["message"] ?? value["content"];
  if (value["role"] === undefined && isObject(inner) && inner["role"] !== undefined) return messageOf(inner);
  if (typeof value["role"] === "string") {
    const parts = [...partsOf(value["content"] ?? value["parts"]), ...callsOf(value["tool_calls"])];
    return { role: value["role"], parts: value["role"] === "tool" ? parts.map(asResult) : parts };
  }
  const part = typeof value["type"] === "string" && /call/.test(value["type"]) ? partOf(value) : undefined;
  return part && { role: part.kind === "call" ? "assistant" : "tool", parts: [part] };
}

const asResult = (part: MessagePart): MessagePart => (part.kind === "text" ? { ...part, kind: "result" } : part);

function partsOf(content: unknown): MessagePart[] {
  if (content === undefined || content === null || content === "") return [];
  if (isObject(content) && Array.isArray(content["parts"])) return content["parts"].map(partOf);
  return Array.isArray(content) ? content.map(partOf) : [partOf(content)];
}

const callsOf = (calls: unknown): MessagePart[] =>
  Array.isArray(calls)
    ? calls.map((each) => {
        const called = isObject(each) ? (each["function"] ?? each) : each;
        return isObject(called) ? callOf(called) : textOf(called);
      })
    : [];

/** Values of `type` that identify a tool call, and values that identify the result of a tool call. */
const CALL = /^(?:tool[_-](?:use|call)|function_call)$/;
const RESULT = /^(?:tool[_-]result|tool_call_response|function_call_output)$/;

function partOf(value: unknown): MessagePart {
  if (!isObject(value)) return textOf(value);
  const type = String(value["type"] ?? "");
  if (isObject(value["functionCall"])) return callOf(value["functionCall"]);
  if (isObject(value["functionResponse"])) return resultOf(value["functionResponse"]);
  if (CALL.test(type)) return callOf(value);
  if (RESULT.test(type)) return resultOf(value);
  const text = value["text"] ?? value["thinking"] ?? (type === "text" ? value["content"] : undefined);
  return textOf(typeof text === "string" ? text : value);
}

const textOf = (value: unknown): MessagePart => ({ kind: "text", name: "", value });
const nameOf = (value: Members): string => String(value["name"] ?? value["toolName"] ?? "");

const callOf = (value: Members): MessagePart => ({
  kind: "call",
  name: nameOf(value),
  value: value["input"] ?? value["arguments"] ?? value["args"] ?? {},
});

const resultOf = (value: Members): MessagePart => ({
  kind: "result",
  name: nameOf(value),
  value: value["content"] ?? value["response"] ?? value["output"] ?? value["result"] ?? "",
});
