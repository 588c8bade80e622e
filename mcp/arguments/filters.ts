import { z } from "zod";
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

const DURATION = /^P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?)?$/i;

/**
 * A moment in the past: an ISO date or time, or a duration back from now (`P7D`).
 * @returns ISO 8601 in UTC.
 */
export function parsePastTime(name: string, text: string): string {
  const then = addDuration(text, -1) ?? new Date(text);
  if (Number.isNaN(then.getTime())) throw new ToolError(`${name} "${text}" is no date. Write 2026-01-31 or P7D.`);
  return then.toISOString();
}

/**
 * A calendar day: an ISO date, or a duration ahead of today (`P7D`).
 * @returns YYYY-MM-DD.
 */
export function parseDay(name: string, text: string): string {
  const then = addDuration(text, 1) ?? (/^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : new Date(Number.NaN));
  if (Number.isNaN(then.getTime())) throw new ToolError(`${name} "${text}" is no day. Write 2026-01-31 or P7D.`);
  return then.toISOString().slice(0, 10);
}

function addDuration(text: string, direction: 1 | -1): Date | undefined {
  const parts = DURATION.exec(text);
  if (!parts || text.length < 3) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const then = new Date();
  then.setUTCMonth(then.getUTCMonth() + direction * (years * 12 + months));
  const minutesAll = ((weeks * 7 + days) * 24 + hours) * 60 + minutes;
  return new Date(then.getTime() + direction * minutesAll * 60_000);
}
