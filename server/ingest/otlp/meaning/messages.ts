import { isObject } from "../../../../formats/json.ts";
import { readOwn } from "../../../../formats/own.ts";
import { unquoteText } from "../../../agents/fields.ts";
import type { Value } from "../model.ts";

type Members = { [key: string]: Value };

/** Member that represents the content of an object. */
interface Shape {
  member: string;
  /** Other members that the object may have. Further members mean a different object. Undefined allows any. */
  beside?: readonly string[];
}

/**
 * Shapes in which programs wrap the messages of prompts and replies, in the order in which the shapes are tried. The
 * member contains another shape, a list of messages, a message, its parts, or text.
 */
const SHAPES: readonly Shape[] = [
  { member: "messages" }, // requests of most APIs; state of LangGraph
  { member: "message" }, // choice of OpenAI, generation of LangChain
  { member: "prompt", beside: ["system"] }, // AI SDK
  { member: "args", beside: ["kwargs"] }, // arguments of a function, by OpenLLMetry
  { member: "generations", beside: ["llmOutput", "llm_output", "run", "type"] }, // LangChain
  { member: "choices" }, // OpenAI
  { member: "output", beside: ["input", "chat_history", "intermediate_steps"] }, // chains of LangChain
  { member: "input", beside: ["chat_history", "agent_scratchpad"] },
  { member: "text", beside: ["type"] }, // a single part
];

/** Maximum nesting of shapes. */
const MAX_LEVELS = 8;

/** Returns the text of the last message, or of the user's last message. Undefined for an unknown shape. */
export function readMessageText(value: Value, ofUser: boolean): string | undefined {
  const text = textIn(value, ofUser, 0);
  return text === undefined ? undefined : unquoteText(text);
}

function textIn(value: Value | undefined, ofUser: boolean, level: number): string | undefined {
  if (typeof value === "string") return value;
  if (level > MAX_LEVELS) return undefined;
  if (Array.isArray(value)) return textOfList(value, ofUser, level);
  if (!isObject(value)) return undefined;
  const message = messageOf(value);
  if (message) return isWanted(message, ofUser) ? contentOf(message) : undefined;
  const shape = SHAPES.find(
    ({ member, beside }) => readOwn(value, member) !== undefined && hasOnly(value, member, beside),
  );
  return shape && textIn(readOwn(value, shape.member), ofUser, level + 1);
}

function textOfList(list: Value[], ofUser: boolean, level: number): string | undefined {
  const messages = list.map(messageOf).filter((item) => item !== undefined);
  const message = ofUser ? messages.findLast(isUsers) : messages.at(-1);
  if (message) return contentOf(message);
  if (messages.length > 0) return undefined;
  const parts = list.map(partText).filter((part) => part !== undefined);
  if (parts.length > 0 && parts.length === list.length) return parts.join("\n");
  return list.length === 1 ? textIn(list[0], ofUser, level + 1) : undefined;
}

const hasOnly = (value: Members, member: string, beside: readonly string[] | undefined): boolean =>
  beside === undefined || Object.keys(value).every((key) => key === member || beside.includes(key));

/** Returns a message. LangChain writes messages as constructor calls, or as type and data. */
function messageOf(value: Value): Members | undefined {
  if (!isObject(value)) return undefined;
  const { lc, id, kwargs, type, data } = value;
  if (lc !== undefined && isObject(kwargs)) return { ...kwargs, role: (Array.isArray(id) && id.at(-1)) || "" };
  if (isObject(data) && type !== undefined && isMessage(data)) return { ...data, role: type };
  return isMessage(value) ? value : undefined;
}

const isMessage = (value: Members): boolean =>
  ("content" in value && !TEXTS.includes(value["type"] ?? "")) ||
  "parts" in value ||
  ("role" in value && "tool_calls" in value);

const isUsers = ({ role, type }: Members): boolean => /^(?:user|human|HumanMessage)$/.test(String(role ?? type));

/** A single message without a role counts as the user's. */
const isWanted = (message: Members, ofUser: boolean): boolean =>
  !ofUser || message["role"] === undefined || isUsers(message);

/** Returns the texts of a message. If there is none, returns the other content as JSON, such as a tool call. */
function contentOf({ content, parts, tool_calls }: Members): string {
  const held = parts ?? content ?? tool_calls ?? "";
  if (typeof held === "string") return held === "" && tool_calls !== undefined ? JSON.stringify(tool_calls) : held;
  if (!Array.isArray(held)) return JSON.stringify(held);
  const texts = held.map(partText).filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join("\n") : JSON.stringify(held);
}

/** Types of text parts, in the spellings of several APIs. */
const TEXTS: readonly Value[] = ["text", "input_text", "output_text"];

function partText(part: Value): string | undefined {
  if (typeof part === "string") return part;
  if (!isObject(part) || !TEXTS.includes(part["type"] ?? "text")) return undefined;
  const text = part["content"] ?? part["text"];
  return typeof text === "string" ? text : undefined;
}
