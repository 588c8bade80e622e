import { z } from "zod";
import { DAY_FORMS, type Direction, MOMENT_FORMS, parseMoment } from "../../formats/moments.ts";
import { isUuid } from "../../formats/uuid.ts";
import { ToolError } from "../errors.ts";

type Filter = Record<string, unknown>;

/** A parameter that takes a name, or a word that stands for none in particular: those match in any case, as names do. */
export const NAME_OR_WORD = z
  .string()
  .overwrite((text) => (/^(?:open|me|none|current)$/i.test(text) ? text.toLowerCase() : text));

/** A parameter that takes the name of an agent, which has at most 256 characters. Checked here, so that the schema stays short. */
export const AGENT = z.string().refine((text) => text.length <= 256, "must be at most 256 characters");

const byNameOr = (fields: string[]) => (text: string) =>
  isUuid(text) ? { id: { eq: text } } : { or: fields.map((field) => ({ [field]: { eqIgnoreCase: text } })) };

/** The filter that finds what a name stands for, by kind of thing; names match whole, ignoring case. */
export const FILTERS = {
  team: byNameOr(["key", "name"]),
  project: byNameOr(["name", "slugId"]),
  label: byNameOr(["name"]),
  milestone: byNameOr(["name"]),
  user: (text: string): Filter =>
    text === "me" ? { isMe: { eq: true } } : byNameOr(["email", "displayName", "name"])(text),
  /** A name, or one of the types; `open` is every type that does not end an issue. */
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
 * A moment; durations such as `P7D` and `7d` count back from now.
 * @returns ISO 8601 in UTC. @throws ToolError for a text in none of the forms
 */
export const parsePastTime = (name: string, text: string): string => momentOf(name, text, "back").toISOString();

/**
 * A calendar day; durations such as `P7D` and `7d` count ahead of today.
 * @returns YYYY-MM-DD. @throws ToolError for a text in none of the forms
 */
export function parseDay(name: string, text: string): string {
  if (text.includes(":")) throw noTime(name, text, DAY_FORMS);
  return momentOf(name, text, "ahead", DAY_FORMS).toISOString().slice(0, 10);
}

function momentOf(name: string, text: string, direction: Direction, forms = MOMENT_FORMS): Date {
  const at = parseMoment(text, new Date(), direction);
  if (!at) throw noTime(name, text, forms);
  return at;
}

const noTime = (name: string, text: string, forms: string) =>
  new ToolError(`${name} cannot be ${JSON.stringify(text.slice(0, 60))}. Write ${forms}.`);
