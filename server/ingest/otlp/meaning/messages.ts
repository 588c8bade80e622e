import { isObject } from "../../../../formats/json.ts";
import { readOwn } from "../../../../formats/own.ts";
import type { Value } from "../model.ts";

type Members = { [key: string]: Value };

/** A member of an object that stands for the whole. */
interface Shape {
  member: string;
  /** Members allowed beside it; any other makes the object something else. Undefined: anything. */
  beside?: readonly string[];
}

/**
 * The shapes in which programs write prompts and replies around their messages, tried in this order. What the member holds
 * is of one of these shapes again, a list of messages, a message, its parts, or a text.
 */
const SHAPES: readonly Shape[] = [
  { member: "messages" }, // requests of most APIs; the state of LangGraph
  { member: "message" }, // a choice of OpenAI, a generation of LangChain
  { member: "prompt", beside: ["system"] }, // AI SDK
  { member: "args", beside: ["kwargs"] }, // the arguments of a function, by OpenLLMetry
  { member: "generations", beside: ["llmOutput", "llm_output", "run", "type"] }, // LangChain
  { member: "choices" }, // OpenAI
  { member: "output", beside: ["input", "chat_history", "intermediate_steps"] }, // chains of LangChain
  { member: "input", beside: ["chat_history", "agent_scratchpad"] },
  { member: "text", beside: ["type"] }, // a part by itself
];

/** Shapes within shapes. */
const MAX_LEVELS = 8;

/** Text of the last message, of anybody or of the user. Undefined for a value of unknown shape. */
export function messageText(value: Value, ofUser: boolean): string | undefined {
  const text = textIn(value, ofUser, 0);
  return text === undefined ? undefined : unquoted(text);
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

/** A message; those of LangChain are written as the calls of their constructors, or as type and data. */
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

/** A message alone is the user's unless it says that it is another's. */
const isWanted = (message: Members, ofUser: boolean): boolean =>
  !ofUser || message["role"] === undefined || isUsers(message);

/** The texts of a message; where it has none, what it holds instead (a call of a tool, say) as JSON. */
function contentOf({ content, parts, tool_calls }: Members): string {
  const held = parts ?? content ?? tool_calls ?? "";
  if (typeof held === "string") return held === "" && tool_calls !== undefined ? JSON.stringify(tool_calls) : held;
  if (!Array.isArray(held)) return JSON.stringify(held);
  const texts = held.map(partText).filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join("\n") : JSON.stringify(held);
}

/** The types of parts that are texts, in the spellings of several APIs. */
const TEXTS: readonly Value[] = ["text", "input_text", "output_text"];

function partText(part: Value): string | undefined {
  if (typeof part === "string") return part;
  if (!isObject(part) || !TEXTS.includes(part["type"] ?? "text")) return undefined;
  const text = part["content"] ?? part["text"];
  return typeof text === "string" ? text : undefined;
}

/** A text that is nothing but a string of JSON, without its quotes: some programs quote what was typed. */
export function unquoted(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
