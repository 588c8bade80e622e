import { DAY_MS, HOUR_MS } from "../../../../formats/time.ts";
import { inputError } from "../../../errors.ts";
import type { StatementBuild, StatementInputs } from "../../../read/entity.ts";
import { bindParameter } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";

/**
 * Maximum length of a range that is read from events instead of hourly counts. A range that is read from events may
 * have parts that are shorter than an hour.
 */
const FINE_MS = 3 * HOUR_MS;

const MAX_BUCKETS = 200;
const UNCOUNTED_SCANS = 0.5;
/** First and last time of a `DateTime`. Computed times must stay within these limits. */
const FIRST_MS = Date.parse("0001-01-01T00:00:00.000Z");
export const LAST_SUPPORTED_TIME_MS = Date.parse("9999-12-31T23:59:59.999Z");
/** Maximum length of a range in any field. */
export const MAX_RANGE_DAYS = 92;

/** A range of time in milliseconds since 1970, and the whole hours and days (UTC) within the range. */
export interface TimeRange {
  from: number;
  to: number;
  hours: [number, number];
  days: [number, number];
}

/**
 * Returns the requested range. The default end is now, and the default length is a day or `usualMs`. @throws inputError
 * for an empty or too long range
 */
export function readRange(
  args: Readonly<Record<string, unknown>>,
  now: Date,
  mostDays: number,
  usualMs = DAY_MS,
): TimeRange {
  const to = args.to ? Date.parse(String(args.to)) : now.getTime();
  const from = args.from ? Date.parse(String(args.from)) : Math.max(to - usualMs, FIRST_MS);
  if (from >= to) throw inputError("from must be before to", "from");
  if (to - from > mostDays * DAY_MS) throw inputError(`from and to may be at most ${mostDays} days apart`, "from");
  const hours = to - from > FINE_MS ? within(from, to, HOUR_MS) : none(to);
  return { from, to, hours, days: within(hours[0], hours[1], DAY_MS) };
}

/** Returns the cost of a range that is read from daily and hourly counts, and from events that are not counted yet. */
export function computeTimeRangeCost({ from, to }: Readonly<Record<string, unknown>>): number {
  const until = to ? Date.parse(String(to)) : Date.now();
  const days = from ? (until - Date.parse(String(from))) / DAY_MS : 1;
  return UNCOUNTED_SCANS + Math.min(Math.max(Math.ceil(days), 1), MAX_RANGE_DAYS) / MAX_RANGE_DAYS;
}

const none = (at: number): [number, number] => [at, at];

/**
 * Returns the range of whole hours or days between two times. If no whole hour or day fits, returns an empty range at
 * the end.
 */
function within(from: number, to: number, unit: number): [number, number] {
  const [first, end] = [Math.ceil(from / unit) * unit, Math.floor(to / unit) * unit];
  return first < end ? [first, end] : none(to);
}

/**
 * SQL parameters for the limits of a range: its start and end, and the start and end of its whole hours and whole days.
 */
export type RangeEdges = Readonly<Record<keyof typeof EDGES, string>>;

const EDGES = {
  from: ({ from }: TimeRange) => from,
  to: ({ to }: TimeRange) => to,
  hour: ({ hours }: TimeRange) => hours[0],
  hourEnd: ({ hours }: TimeRange) => hours[1],
  day: ({ days }: TimeRange) => days[0],
  dayEnd: ({ days }: TimeRange) => days[1],
};

/** Binds one limit of the range that a field's arguments request. The statement must use every bound parameter. */
export const bindEdge = (
  build: StatementBuild,
  selection: Selection,
  mostDays: number,
  name: keyof RangeEdges,
): string =>
  bindParameter(build, `${selection.argumentIndex}.${name}`, "timestamptz", (inputs) =>
    new Date(EDGES[name](rangeIn(selection, inputs, mostDays))).toISOString(),
  );

/** Binds all edges of the range. */
export function bindEdges(build: StatementBuild, selection: Selection, mostDays: number): RangeEdges {
  const names = Object.keys(EDGES) as (keyof RangeEdges)[];
  return Object.fromEntries(names.map((name) => [name, bindEdge(build, selection, mostDays, name)])) as RangeEdges;
}

const rangeIn = (selection: Selection, { args, scope }: StatementInputs, mostDays: number): TimeRange =>
  readRange(selectedArguments(selection, args), scope.at, mostDays);

/**
 * Splits a range into the wanted number of parts of equal length, and returns the start of each part. In a range that
 * is read from hourly counts, no part is shorter than an hour, so there may be fewer parts. Every part except the first
 * then begins at a full hour.
 */
export function splitRange({ from, to, hours }: TimeRange, wanted: number): number[] {
  const whole = hours[1] - hours[0];
  const count = whole === 0 ? wanted : Math.min(wanted, Math.floor((to - from) / HOUR_MS));
  const at = (n: number) => from + Math.floor((n * (to - from)) / count);
  const begins = (n: number) => (whole === 0 || n === 0 ? at(n) : Math.round(at(n) / HOUR_MS) * HOUR_MS);
  return Array.from({ length: count }, (_, n) => begins(n));
}

/** Binds the beginnings of the parts, as `timestamptz[]`. */
export const bindRangePartStarts = (
  build: StatementBuild,
  selection: Selection,
  { mostDays, wanted }: { mostDays: number; wanted(args: Readonly<Record<string, unknown>>): number },
): string =>
  bindParameter(build, `${selection.argumentIndex}.parts`, "timestamptz[]", (inputs) =>
    splitRange(rangeIn(selection, inputs, mostDays), wanted(selectedArguments(selection, inputs.args))).map((at) =>
      new Date(at).toISOString(),
    ),
  );

/** Returns the requested number of parts. @throws inputError for a number out of range */
export function parseBucketCount({ buckets }: Readonly<Record<string, unknown>>, otherwise: number): number {
  const count = Number(buckets ?? otherwise);
  if (count < 1 || count > MAX_BUCKETS) throw inputError(`buckets must be between 1 and ${MAX_BUCKETS}`, "buckets");
  return count;
}
