import { DAY_MS, HOUR_MS } from "../../../../formats/time.ts";
import { inputError } from "../../../errors.ts";
import type { Build, Inputs } from "../../../read/entity.ts";
import { bind } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";

/** A range no longer than this is read from its events, so that its parts may be shorter than an hour. */
const FINE_MS = 3 * HOUR_MS;

const MAX_BUCKETS = 200;
const UNCOUNTED_SCANS = 0.5;
/** The first and the last moment that are a `DateTime`: what is computed from one is none outside of them. */
const FIRST_MS = Date.parse("0001-01-01T00:00:00.000Z");
export const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");
/** The longest range that any field takes. */
export const MAX_DAYS = 92;

/** A range of time, epoch ms, and what lies in it whole: hours, and of those days (UTC). */
export interface Range {
  from: number;
  to: number;
  hours: [number, number];
  days: [number, number];
}

/** The requested range, by default the last day, or `usualMs`. @throws inputError for a range that is empty or too long */
export function rangeOf(args: Readonly<Record<string, unknown>>, now: Date, mostDays: number, usualMs = DAY_MS): Range {
  const to = args.to ? Date.parse(String(args.to)) : now.getTime();
  const from = args.from ? Date.parse(String(args.from)) : Math.max(to - usualMs, FIRST_MS);
  if (from >= to) throw inputError("from must be before to", "from");
  if (to - from > mostDays * DAY_MS) throw inputError(`from and to may be at most ${mostDays} days apart`, "from");
  const hours = to - from > FINE_MS ? within(from, to, HOUR_MS) : none(to);
  return { from, to, hours, days: within(hours[0], hours[1], DAY_MS) };
}

/** Price of a range that is counted by the day and the hour, and from events where those are not counted yet. */
export function rangeScans({ from, to }: Readonly<Record<string, unknown>>): number {
  const until = to ? Date.parse(String(to)) : Date.now();
  const days = from ? (until - Date.parse(String(from))) / DAY_MS : 1;
  return UNCOUNTED_SCANS + Math.min(Math.max(Math.ceil(days), 1), MAX_DAYS) / MAX_DAYS;
}

const none = (at: number): [number, number] => [at, at];

/** The whole units between two moments; none, at the end, when there are none. */
function within(from: number, to: number, unit: number): [number, number] {
  const [first, end] = [Math.ceil(from / unit) * unit, Math.floor(to / unit) * unit];
  return first < end ? [first, end] : none(to);
}

/** The edges of a range as parameters of a statement. */
export type Edges = Readonly<Record<keyof typeof EDGES, string>>;

const EDGES = {
  from: ({ from }: Range) => from,
  to: ({ to }: Range) => to,
  hour: ({ hours }: Range) => hours[0],
  hourEnd: ({ hours }: Range) => hours[1],
  day: ({ days }: Range) => days[0],
  dayEnd: ({ days }: Range) => days[1],
};

/** Binds one edge of the range that a field's arguments name: a statement uses all that is bound. */
export const bindEdge = (build: Build, selection: Selection, mostDays: number, name: keyof Edges): string =>
  bind(build, `${selection.argumentIndex}.${name}`, "timestamptz", (inputs) =>
    new Date(EDGES[name](rangeIn(selection, inputs, mostDays))).toISOString(),
  );

/** Binds all of them. */
export function bindEdges(build: Build, selection: Selection, mostDays: number): Edges {
  const names = Object.keys(EDGES) as (keyof Edges)[];
  return Object.fromEntries(names.map((name) => [name, bindEdge(build, selection, mostDays, name)])) as Edges;
}

const rangeIn = (selection: Selection, { args, scope }: Inputs, mostDays: number): Range =>
  rangeOf(argsOf(selection, args), scope.at, mostDays);

/**
 * The beginnings of the parts of a range: as many as are wanted, of one length. In a range that is counted by the hour
 * none is shorter than an hour, and each but the first begins with one.
 */
export function partsOf({ from, to, hours }: Range, wanted: number): number[] {
  const whole = hours[1] - hours[0];
  const count = whole === 0 ? wanted : Math.min(wanted, Math.floor((to - from) / HOUR_MS));
  const at = (n: number) => from + Math.floor((n * (to - from)) / count);
  const begins = (n: number) => (whole === 0 || n === 0 ? at(n) : Math.round(at(n) / HOUR_MS) * HOUR_MS);
  return Array.from({ length: count }, (_, n) => begins(n));
}

/** Binds where the parts of a range begin, as `timestamptz[]`. */
export const bindParts = (
  build: Build,
  selection: Selection,
  { mostDays, wanted }: { mostDays: number; wanted(args: Readonly<Record<string, unknown>>): number },
): string =>
  bind(build, `${selection.argumentIndex}.parts`, "timestamptz[]", (inputs) =>
    partsOf(rangeIn(selection, inputs, mostDays), wanted(argsOf(selection, inputs.args))).map((at) =>
      new Date(at).toISOString(),
    ),
  );

/** The requested number of parts. @throws inputError for none or too many */
export function bucketCount({ buckets }: Readonly<Record<string, unknown>>, otherwise: number): number {
  const count = Number(buckets ?? otherwise);
  if (count < 1 || count > MAX_BUCKETS) throw inputError(`buckets must be between 1 and ${MAX_BUCKETS}`, "buckets");
  return count;
}
