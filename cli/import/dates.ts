import { inRange, parseAbsolute } from "../../formats/moments.ts";
import { DAY_MS } from "../../formats/time.ts";
import { type Settings, Wrong } from "./row.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const TIME = String.raw`(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?`;
const NAMED = new RegExp(String.raw`^(\d{1,2})[/ -]([a-z]{3})[a-z]*[/ -](\d{2}|\d{4})${TIME}$`, "i");
const NUMBERED = new RegExp(String.raw`^(\d{1,2})[/.](\d{1,2})[/.](\d{2}|\d{4})${TIME}$`, "i");
const ISO_LOCAL = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})${TIME}(?:\.\d+)?$`, "i");
/** The forms that JavaScript writes: `Sat Jan 31 2026 09:00:00 GMT+0100 (CET)` and `Sat, 31 Jan 2026 08:00:00 GMT`. */
const OF_SCRIPT =
  /^[a-z]{3},? (?:([a-z]{3}) (\d{2})|(\d{2}) ([a-z]{3})) (\d{4}) (\d{2}:\d{2}:\d{2}) (?:GMT|UTC|Z)([+-]\d{4})?(?: \(.*\))?$/i;

type Clock = Pick<Settings, "offset" | "dates">;

/** A moment in ISO 8601. An empty text is none. @throws Wrong for what is no date */
export const moment = (text: string | undefined, column: string, clock: Clock): string | undefined =>
  parse(text, { column, clock, like: "2026-01-31T09:00:00Z" })?.toISOString();

/** A day. One given as the moment of its midnight in some time zone is the day of the nearest midnight. */
export const day = (text: string | undefined, column: string, clock: Clock): string | undefined =>
  parse(text, { column, clock: { ...clock, offset: 0 }, like: "2026-01-31", later: DAY_MS / 2 })
    ?.toISOString()
    .slice(0, 10);

interface Wanted {
  column: string;
  clock: Clock;
  /** An example of the accepted form, for the error. */
  like: string;
  /** Milliseconds to add. */
  later?: number;
}

function parse(text: string | undefined, { column, clock, like, later = 0 }: Wanted): Date | undefined {
  const trimmed = text?.trim();
  if (!trimmed) return undefined;
  const absolute = trimmed.includes(":") ? parseAbsolute(trimmed) : undefined;
  const time = (absolute ?? ofScript(trimmed))?.getTime() ?? local(trimmed, column, clock);
  const date = inRange(new Date(time + later));
  if (!date) throw new Wrong(column, `"${trimmed.slice(0, 60)}" is no date; write it like ${like}`);
  return date;
}

function ofScript(text: string): Date | undefined {
  const [, first, second, third, fourth, year, time, offset = "Z"] = OF_SCRIPT.exec(text) ?? [];
  const month = MONTHS.indexOf((first ?? fourth ?? "").toLowerCase()) + 1;
  return parseAbsolute(`${year}-${String(month).padStart(2, "0")}-${second ?? third}T${time}${offset}`);
}

function local(text: string, column: string, { offset, dates }: Clock): number {
  const iso = ISO_LOCAL.exec(text);
  if (iso) return at(iso, [iso[1], iso[2], iso[3]], offset);
  const named = NAMED.exec(text);
  if (named) return at(named, [named[3], MONTHS.indexOf(String(named[2]).toLowerCase()) + 1, named[1]], offset);
  const numbered = NUMBERED.exec(text);
  if (!numbered) return Number.NaN;
  const [first, second] = [Number(numbered[1]), Number(numbered[2])];
  const order = first > 12 ? "dmy" : second > 12 ? "mdy" : first === second ? "mdy" : dates;
  if (!order) throw new Wrong(column, `"${text}" may be two days; say which with --dates dmy or --dates mdy`);
  return at(numbered, order === "dmy" ? [numbered[3], second, first] : [numbered[3], first, second], offset);
}

/** The moment of a year, month and day with the time that stands behind them; NaN when there is no such day or time. */
function at(match: RegExpExecArray, [year, month, date]: readonly unknown[], offset: number): number {
  const [, , , , hours = "0", minutes = "0", seconds = "0", half] = match;
  if (half && Number(hours) > 12) return Number.NaN;
  const hour = half ? (Number(hours) % 12) + (/pm/i.test(half) ? 12 : 0) : Number(hours);
  const full = String(year).length === 2 ? `20${year}` : year;
  const two = (part: unknown) => String(part).padStart(2, "0");
  const text = `${full}-${two(month)}-${two(date)}T${two(hour)}:${two(minutes)}:${two(seconds)}Z`;
  return (parseAbsolute(text)?.getTime() ?? Number.NaN) - offset;
}
