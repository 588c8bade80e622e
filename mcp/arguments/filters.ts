import { z } from "zod";
import { DAY_FORMAT_HELP, type Direction, MOMENT_FORMAT_HELP, parseMoment } from "../../formats/moments.ts";
import { isUuid } from "../../formats/uuid.ts";
import { ToolError } from "../errors.ts";

type Filter = Record<string, unknown>;

/**
 * Parameter that is a name or one of the words `open`, `me`, `none` and `current`. Upper and lower case do not matter,
 * for words as for names.
 */
export const NAME_OR_KEYWORD_SCHEMA = z
  .string()
  .overwrite((text) => (/^(?:open|me|none|current)$/i.test(text) ? text.toLowerCase() : text));

/**
 * Parameter with the name of an agent, up to 256 characters. A refinement checks the length, because a limit in the
 * schema would make the schema longer.
 */
export const AGENT_NAME_SCHEMA = z.string().refine((text) => text.length <= 256, "must be at most 256 characters");

const byNameOr = (fields: string[]) => (text: string) =>
  isUuid(text) ? { id: { eq: text } } : { or: fields.map((field) => ({ [field]: { eqIgnoreCase: text } })) };

/**
 * Functions that build the filter for an object's name, one function per kind of object. The whole name must match;
 * upper and lower case do not matter.
 */
export const ENTITY_FILTER_BUILDERS = {
  team: byNameOr(["key", "name"]),
  project: byNameOr(["name", "slugId"]),
  label: byNameOr(["name"]),
  milestone: byNameOr(["name"]),
  user: (text: string): Filter =>
    text === "me" ? { isMe: { eq: true } } : byNameOr(["email", "displayName", "name"])(text),
  /** Accepts the name, type or id of a state. `open` means every type in which an issue is not closed. */
  state: (text: string): Filter => {
    if (text === "open") return { type: { nin: ["completed", "canceled", "duplicate"] } };
    return isUuid(text)
      ? { id: { eq: text } }
      : { or: [{ name: { eqIgnoreCase: text } }, { type: { eq: text.toLowerCase() } }] };
  },
  cycle: (text: string): Filter => {
    if (text === "current") return { isActive: { eq: true } };
    if (/^\d{1,9}$/.test(text)) return { number: { eq: Number(text) } };
    return byNameOr(["name"])(text);
  },
  labels: (texts: string[]): Filter => ({ or: texts.map((text) => byNameOr(["name"])(text)) }),
};

/**
 * Parses a time. A duration such as `P7D` or `7d` counts back from now.
 * @returns ISO 8601 in UTC. @throws ToolError for text in none of the documented forms
 */
export const parsePastTime = (name: string, text: string): string => momentOf(name, text, "back").toISOString();

/**
 * Parses a calendar day. A duration such as `P7D` or `7d` counts ahead from today.
 * @returns YYYY-MM-DD. @throws ToolError for text in none of the documented forms
 */
export function parseDay(name: string, text: string): string {
  if (text.includes(":")) throw noTime(name, text, DAY_FORMAT_HELP);
  return momentOf(name, text, "ahead", DAY_FORMAT_HELP).toISOString().slice(0, 10);
}

function momentOf(name: string, text: string, direction: Direction, forms = MOMENT_FORMAT_HELP): Date {
  const at = parseMoment(text, new Date(), direction);
  if (!at) throw noTime(name, text, forms);
  return at;
}

const noTime = (name: string, text: string, forms: string) =>
  new ToolError(`${name} cannot be ${JSON.stringify(text.slice(0, 60))}. Write ${forms}.`);
