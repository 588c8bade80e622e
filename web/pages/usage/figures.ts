import { DAY_MS } from "../../../formats/time.ts";
import type { UsageBeforeQuery, UsageQuery } from "../../data/documents.ts";
import { count, money } from "../../parts/texts/format.ts";

/** A figure that is measured. */
export type Figure = "cost" | "tokens" | "sessions";

/** The figures in their order, each with its name. */
export const FIGURES: readonly [figure: Figure, name: string][] = [
  ["cost", "Cost"],
  ["tokens", "Tokens"],
  ["sessions", "Sessions"],
];

/** The usage of one value in a time. */
export type Taken = UsageQuery["recordedUsage"]["groups"][number];
/** The same of the time before. */
export type TakenBefore = UsageBeforeQuery["recordedUsage"]["groups"][number];

/** All that was used in a time. */
export type Whole = UsageQuery["all"]["groups"][number];
export type Measured = Pick<TakenBefore, "cost" | "inputTokens" | "outputTokens" | "sessions">;
/** The sums of a time in which nothing was used. */
export const NOTHING: Whole = { cost: null, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, sessions: 0 };

/** The part of a figure that something took; null for a cost that nobody knows. */
export const READ: Record<Figure, (taken: Measured) => number | null> = {
  cost: ({ cost }) => cost,
  tokens: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
  sessions: ({ sessions }) => sessions,
};

/** A figure as people read it. */
export const SHOW: Record<Figure, (value: number) => string> = {
  cost: money,
  tokens: count,
  sessions: (value) => value.toLocaleString(),
};

/** The cost of each of so many; null where nobody knows the cost, or there are none. */
export const eachOf = ({ cost }: Measured, many: number): number | null =>
  cost === null || many === 0 ? null : cost / many;

/** A change against the time before: a sign and a share, `new` where there was nothing, nothing where both are none. */
export function change(now: number, before: number | undefined): string {
  if (before === undefined || before === 0) return now > 0 ? "new" : "";
  const share = Math.round((100 * (now - before)) / before);
  if (share === 0) return "±0 %";
  return share > 0 ? `+${share.toLocaleString()} %` : `−${Math.abs(share)} %`;
}

/** The days of a range, in UTC, as `2026-11-25`. */
export function daysIn(from: string, to: string): string[] {
  const first = Math.floor(Date.parse(from) / DAY_MS);
  const days = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS));
  return Array.from({ length: days }, (_, n) => new Date((first + n) * DAY_MS).toISOString().slice(0, 10));
}

/** A layer of the chart: a value's figures by the day. */
export interface Layer {
  name: string;
  values: number[];
}

/** Values that have a layer of their own; the rest share one. */
const LAYERS = 4;

/** The layers of the chart, the largest first. */
export function layersOf(groups: readonly TakenBefore[], days: readonly string[], figure: Figure): Layer[] {
  const ranked = [...groups].sort((a, b) => (READ[figure](b) ?? 0) - (READ[figure](a) ?? 0));
  const layers = ranked
    .slice(0, LAYERS)
    .map((group) => ({ name: group.name, values: valuesOf([group], days, figure) }));
  const rest = ranked.slice(LAYERS);
  return rest.length === 0 ? layers : [...layers, { name: "others", values: valuesOf(rest, days, figure) }];
}

/** A figure by the day, summed over values. */
export function valuesOf(groups: readonly TakenBefore[], days: readonly string[], figure: Figure): number[] {
  const at = new Map(days.map((day, n) => [day, n]));
  const values = days.map(() => 0);
  for (const group of groups) {
    for (const each of group.days) {
      const n = at.get(each.day.slice(0, 10));
      if (n !== undefined) values[n] = (values[n] ?? 0) + (READ[figure](each) ?? 0);
    }
  }
  return values;
}

/** The least step between two ticks: smaller ones would read alike. */
const LEAST_STEP: Record<Figure, number> = { cost: 0.01, tokens: 1, sessions: 1 };

/** The top of an axis, at least as high as the highest bar: its quarters are ticks, and round numbers. */
export function topOf(figure: Figure, most: number): number {
  const least = Math.max(most / 4, LEAST_STEP[figure]);
  const power = 10 ** Math.floor(Math.log10(least));
  return 4 * ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= least) ?? 10) * power;
}

const quoted = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

/** The table as CSV: a line a value and day. A name that a spreadsheet would take for a formula is quoted. */
export function csvOf(by: string, groups: readonly Taken[]): string {
  const head = [by, "day", "cost", "inputTokens", "outputTokens", "sessions"].join(",");
  const lines = groups.flatMap(({ name, days }) =>
    days.map((each) =>
      [quoted(name), each.day.slice(0, 10), each.cost ?? "", each.inputTokens, each.outputTokens, each.sessions].join(
        ",",
      ),
    ),
  );
  return `${[head, ...lines].join("\r\n")}\r\n`;
}
