import { limitToSupportedYears, parseAbsoluteTime } from "../../formats/moments.ts";
import { DAY_MS } from "../../formats/time.ts";
import { FaultyColumnError, type ImportSettings } from "./row.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const TIME = String.raw`(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?`;
const NAMED = new RegExp(String.raw`^(\d{1,2})[/ -]([a-z]{3})[a-z]*[/ -](\d{2}|\d{4})${TIME}$`, "i");
const NUMBERED = new RegExp(String.raw`^(\d{1,2})[/.](\d{1,2})[/.](\d{2}|\d{4})${TIME}$`, "i");
const ISO_LOCAL = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})${TIME}(?:\.\d+)?$`, "i");
/** Date formats of JavaScript: `Sat Jan 31 2026 09:00:00 GMT+0100 (CET)` and `Sat, 31 Jan 2026 08:00:00 GMT`. */
const OF_SCRIPT =
  /^[a-z]{3},? (?:([a-z]{3}) (\d{2})|(\d{2}) ([a-z]{3})) (\d{4}) (\d{2}:\d{2}:\d{2}) (?:GMT|UTC|Z)([+-]\d{4})?(?: \(.*\))?$/i;

type Clock = Pick<ImportSettings, "offset" | "dates">;

/**
 * Parses a time and returns the time in ISO 8601. Returns undefined for an empty text. @throws FaultyColumnError for an
 * invalid date
 */
export const parseImportTime = (text: string | undefined, column: string, clock: Clock): string | undefined =>
  parse(text, { column, clock, like: "2026-01-31T09:00:00Z" })?.toISOString();

/**
 * Parses a date and returns the day. If the text contains a time of day, returns the day of the nearest midnight in
 * UTC, because some systems export a day as midnight in their own time zone.
 */
export const parseImportDay = (text: string | undefined, column: string, clock: Clock): string | undefined =>
  parse(text, { column, clock: { ...clock, offset: 0 }, like: "2026-01-31", later: DAY_MS / 2 })
    ?.toISOString()
    .slice(0, 10);

interface Wanted {
  column: string;
  clock: Clock;
  /** Example of the accepted form, for the error message. */
  like: string;
  /** Milliseconds to add. */
  later?: number;
}

function parse(text: string | undefined, { column, clock, like, later = 0 }: Wanted): Date | undefined {
  const trimmed = text?.trim();
  if (!trimmed) return undefined;
  const absolute = trimmed.includes(":") ? parseAbsoluteTime(trimmed) : undefined;
  const time = (absolute ?? ofScript(trimmed))?.getTime() ?? local(trimmed, column, clock);
  const date = limitToSupportedYears(new Date(time + later));
  if (!date) throw new FaultyColumnError(column, `"${trimmed.slice(0, 60)}" is not a date; write dates like ${like}`);
  return date;
}

function ofScript(text: string): Date | undefined {
  const [, first, second, third, fourth, year, time, offset = "Z"] = OF_SCRIPT.exec(text) ?? [];
  const month = MONTHS.indexOf((first ?? fourth ?? "").toLowerCase()) + 1;
  return parseAbsoluteTime(`${year}-${String(month).padStart(2, "0")}-${second ?? third}T${time}${offset}`);
}

function local(text: string, column: string, { offset, dates }: Clock): number {
  const iso = ISO_LOCAL.exec(text);
  if (iso) return toTime(iso, [iso[1], iso[2], iso[3]], offset);
  const named = NAMED.exec(text);
  if (named) return toTime(named, [named[3], MONTHS.indexOf(String(named[2]).toLowerCase()) + 1, named[1]], offset);
  const numbered = NUMBERED.exec(text);
  if (!numbered) return Number.NaN;
  const [first, second] = [Number(numbered[1]), Number(numbered[2])];
  const order = first > 12 ? "dmy" : second > 12 ? "mdy" : first === second ? "mdy" : dates;
  if (!order) throw new FaultyColumnError(column, `"${text}" is ambiguous; add --dates dmy or --dates mdy`);
  return toTime(numbered, order === "dmy" ? [numbered[3], second, first] : [numbered[3], first, second], offset);
}

/**
 * Returns the time in milliseconds for a year, month and day. The time of day comes from the match of the regular
 * expression. Returns NaN if the day or the time of day does not exist.
 */
function toTime(match: RegExpExecArray, [year, month, date]: readonly unknown[], offset: number): number {
  const [, , , , hours = "0", minutes = "0", seconds = "0", half] = match;
  if (half && Number(hours) > 12) return Number.NaN;
  const hour = half ? (Number(hours) % 12) + (/pm/i.test(half) ? 12 : 0) : Number(hours);
  const full = String(year).length === 2 ? `20${year}` : year;
  const two = (part: unknown) => String(part).padStart(2, "0");
  const text = `${full}-${two(month)}-${two(date)}T${two(hour)}:${two(minutes)}:${two(seconds)}Z`;
  return (parseAbsoluteTime(text)?.getTime() ?? Number.NaN) - offset;
}
