import type { Value } from "../model.ts";

type Message = { [key: string]: Value };

/** What the last message of a list says: of any, or of the user. Undefined when the value is no list of messages. */
export function messageText(value: Value, ofUser: boolean): string | undefined {
  const messages = messagesOf(value);
  const message = ofUser ? messages.findLast(({ role }) => role === "user" || role === "human") : messages.at(-1);
  return message && contentOf(message);
}

function messagesOf(value: Value): Message[] {
  if (Array.isArray(value)) return value.filter(isMessage);
  if (!isObject(value)) return [];
  const { messages, message } = value;
  if (Array.isArray(messages)) return messagesOf(messages);
  return isMessage(value) ? [value] : message !== undefined ? messagesOf(message) : [];
}

const isObject = (value: Value | undefined): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isMessage = (value: Value): value is Message =>
  isObject(value) && ("content" in value || "parts" in value || ("role" in value && "tool_calls" in value));

/** The texts of a message; where it has none, what it holds instead (a call of a tool, say) as JSON. */
function contentOf({ content, parts, tool_calls }: Message): string {
  const held = parts ?? content ?? tool_calls ?? "";
  if (typeof held === "string") return held === "" && tool_calls !== undefined ? JSON.stringify(tool_calls) : held;
  if (!Array.isArray(held)) return JSON.stringify(held);
  const texts = held.map(partText).filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join("\n") : JSON.stringify(held);
}

function partText(part: Value): string | undefined {
  if (typeof part === "string") return part;
  if (!isObject(part) || (part["type"] !== undefined && part["type"] !== "text")) return undefined;
  const text = part["content"] ?? part["text"];
  return typeof text === "string" ? text : undefined;
}
