import { type Settings, Wrong } from "./row.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const TIME = String.raw`(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(am|pm)?)?`;
const NAMED = new RegExp(String.raw`^(\d{1,2})[/ -]([a-z]{3})[a-z]*[/ -](\d{2}|\d{4})${TIME}$`, "i");
const NUMBERED = new RegExp(String.raw`^(\d{1,2})[/.](\d{1,2})[/.](\d{2}|\d{4})${TIME}$`, "i");
const ISO_LOCAL = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})${TIME}(?:\.\d+)?$`, "i");
/** Dates with an offset: ISO 8601, and the form JavaScript writes. */
const ABSOLUTE = /^(\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})|[a-z]{3},? .*(GMT|UTC|Z).*)$/i;
const CURE = "write it like 2026-01-31T09:00:00Z";

type Clock = Pick<Settings, "offset" | "dates">;

/** A moment in ISO 8601. An empty text is none. @throws Wrong for what is no date */
export function moment(text: string | undefined, column: string, clock: Clock): string | undefined {
  const trimmed = text?.trim();
  if (!trimmed) return undefined;
  const time = ABSOLUTE.test(trimmed) ? Date.parse(trimmed) : local(trimmed, column, clock);
  if (Number.isNaN(time)) throw new Wrong(column, `"${trimmed.slice(0, 60)}" is no date; ${CURE}`);
  return new Date(time).toISOString();
}

/** A day. One given as the moment of its midnight in some time zone is the day of the nearest midnight. */
export function day(text: string | undefined, column: string, clock: Clock): string | undefined {
  const at = moment(text, column, { ...clock, offset: 0 });
  return at && new Date(Date.parse(at) + 12 * 3_600_000).toISOString().slice(0, 10);
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

/** The moment of a year, month and day with the time that stands behind them; NaN when there is no such day. */
function at(match: RegExpExecArray, parts: readonly unknown[], offset: number): number {
  const [year = 0, month = 0, date = 0] = parts.map(Number);
  const [, , , , hours = "0", minutes = "0", seconds = "0", half] = match;
  const hour = half ? (Number(hours) % 12) + (/pm/i.test(half) ? 12 : 0) : Number(hours);
  const full = year < 100 ? 2000 + year : year;
  const time = Date.UTC(full, month - 1, date, hour, Number(minutes), Number(seconds));
  const back = new Date(time);
  const real = back.getUTCMonth() === month - 1 && back.getUTCDate() === date && hour < 24 && Number(minutes) < 60;
  return real ? time - offset : Number.NaN;
}
