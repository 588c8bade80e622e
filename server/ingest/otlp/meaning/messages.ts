import { isObject } from "../../../../formats/json.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import { unquoteText } from "../../../agents/fields.ts";
import type { AttributeValue } from "../model.ts";

type Members = { [key: string]: AttributeValue };

/** Shape of an object that wraps messages. `member` is the name of the property with the content. */
interface Shape {
  member: string;
  /**
   * Names of other properties that an object of this shape may have. An object with any further property has another
   * shape. If undefined, all other properties are allowed.
   */
  beside?: readonly string[];
}

/**
 * Shapes of objects in which programs wrap the messages of prompts and replies. The parser tries the shapes in the
 * order of the list. The property `member` contains another wrapped object, a list of messages, a message, the parts of
 * a message, or text.
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

/**
 * Returns the text of the last message. If `ofUser` is true, returns the text of the user's last message. Returns
 * undefined if the shape of the value is unknown.
 */
export function readMessageText(value: AttributeValue, ofUser: boolean): string | undefined {
  const text = textIn(value, ofUser, 0);
  return text === undefined ? undefined : unquoteText(text);
}

function textIn(value: AttributeValue | undefined, ofUser: boolean, level: number): string | undefined {
  if (typeof value === "string") return value;
  if (level > MAX_LEVELS) return undefined;
  if (Array.isArray(value)) return textOfList(value, ofUser, level);
  if (!isObject(value)) return undefined;
  const message = messageOf(value);
  if (message) return isWanted(message, ofUser) ? contentOf(message) : undefined;
  const shape = SHAPES.find(
    ({ member, beside }) => getOwnProperty(value, member) !== undefined && hasOnly(value, member, beside),
  );
  return shape && textIn(getOwnProperty(value, shape.member), ofUser, level + 1);
}

function textOfList(list: AttributeValue[], ofUser: boolean, level: number): string | undefined {
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

/**
 * Returns the value as a message if the value is one. LangChain writes a message as a constructor call, or as a type
 * with data.
 */
function messageOf(value: AttributeValue): Members | undefined {
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

/**
 * Returns true if a message is wanted. If a value is a single message without a role, the message counts as the user's
 * message.
 */
const isWanted = (message: Members, ofUser: boolean): boolean =>
  !ofUser || message["role"] === undefined || isUsers(message);

/**
 * Returns the text of a message. If the message has no text, returns its other content as JSON, for example a tool
 * call.
 */
function contentOf({ content, parts, tool_calls }: Members): string {
  const held = parts ?? content ?? tool_calls ?? "";
  if (typeof held === "string") return held === "" && tool_calls !== undefined ? JSON.stringify(tool_calls) : held;
  if (!Array.isArray(held)) return JSON.stringify(held);
  const texts = held.map(partText).filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join("\n") : JSON.stringify(held);
}

/** Values of `type` that mark a part of a message as text. APIs use different names. */
const TEXTS: readonly AttributeValue[] = ["text", "input_text", "output_text"];

function partText(part: AttributeValue): string | undefined {
  if (typeof part === "string") return part;
  if (!isObject(part) || !TEXTS.includes(part["type"] ?? "text")) return undefined;
  const text = part["content"] ?? part["text"];
  return typeof text === "string" ? text : undefined;
}
