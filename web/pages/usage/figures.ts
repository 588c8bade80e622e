import { DAY_MS } from "../../../formats/time.ts";
import type { UsageBeforeQuery, UsageQuery } from "../../data/documents.ts";
import { formatCost, formatCount } from "../../parts/texts/format.ts";

/** Measured figure. */
export type UsageFigure = "cost" | "tokens" | "sessions";

/** Figures in display order, with labels. */
export const USAGE_FIGURES: readonly [figure: UsageFigure, name: string][] = [
  ["cost", "Cost"],
  ["tokens", "Tokens"],
  ["sessions", "Sessions"],
];

/** Usage of a group of sessions, such as the sessions of an agent, in the shown period. */
export type GroupUsage = UsageQuery["recordedUsage"]["groups"][number];
/** Usage of a group of sessions in the previous period. */
export type PreviousGroupUsage = UsageBeforeQuery["recordedUsage"]["groups"][number];

/** Total usage in a period. */
export type TotalUsage = UsageQuery["all"]["groups"][number];
export type UsageMeasures = Pick<PreviousGroupUsage, "cost" | "inputTokens" | "outputTokens" | "sessions">;
/** Total of a period without usage. */
export const NO_USAGE: TotalUsage = { cost: null, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, sessions: 0 };

/** Functions that return one figure from usage data. The function for the cost returns null if the cost is unknown. */
export const USAGE_FIGURE_READERS: Record<UsageFigure, (taken: UsageMeasures) => number | null> = {
  cost: ({ cost }) => cost,
  tokens: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
  sessions: ({ sessions }) => sessions,
};

/** Functions that format a figure. */
export const USAGE_FIGURE_FORMATTERS: Record<UsageFigure, (value: number) => string> = {
  cost: formatCost,
  tokens: formatCount,
  sessions: (value) => value.toLocaleString(),
};

/** Returns the cost per item; null if the cost is unknown or the number of items is 0. */
export const computeCostPerItem = ({ cost }: UsageMeasures, many: number): number | null =>
  cost === null || many === 0 ? null : cost / many;

/**
 * Formats the change from the previous period as a sign and a percentage. Returns `new` if only the previous figure is
 * 0 or missing, and an empty text if there is no usage in both periods.
 */
export function formatPercentChange(now: number, before: number | undefined): string {
  if (before === undefined || before === 0) return now > 0 ? "new" : "";
  const share = Math.round((100 * (now - before)) / before);
  if (share === 0) return "±0 %";
  return share > 0 ? `+${share.toLocaleString()} %` : `−${Math.abs(share)} %`;
}

/** Returns the days of a range, in UTC, as `2026-11-25`. */
export function listDays(from: string, to: string): string[] {
  const first = Math.floor(Date.parse(from) / DAY_MS);
  const days = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS));
  return Array.from({ length: days }, (_, n) => new Date((first + n) * DAY_MS).toISOString().slice(0, 10));
}

/** Layer of the chart: the figures of one value, such as one agent, for each day. */
export interface ChartLayer {
  name: string;
  values: number[];
}

/** Maximum number of values, such as agents, that have a separate layer. All other values share one layer. */
const LAYERS = 4;

/** Builds the layers of the chart, largest first. */
export function buildLayers(
  groups: readonly PreviousGroupUsage[],
  days: readonly string[],
  figure: UsageFigure,
): ChartLayer[] {
  const ranked = [...groups].sort(
    (a, b) => (USAGE_FIGURE_READERS[figure](b) ?? 0) - (USAGE_FIGURE_READERS[figure](a) ?? 0),
  );
  const layers = ranked
    .slice(0, LAYERS)
    .map((group) => ({ name: group.name, values: sumFigureByDay([group], days, figure) }));
  const rest = ranked.slice(LAYERS);
  return rest.length === 0 ? layers : [...layers, { name: "others", values: sumFigureByDay(rest, days, figure) }];
}

/** Returns a figure for each day, added up over all groups. */
export function sumFigureByDay(
  groups: readonly PreviousGroupUsage[],
  days: readonly string[],
  figure: UsageFigure,
): number[] {
  const at = new Map(days.map((day, n) => [day, n]));
  const values = days.map(() => 0);
  for (const group of groups) {
    for (const each of group.days) {
      const n = at.get(each.day.slice(0, 10));
      if (n !== undefined) values[n] = (values[n] ?? 0) + (USAGE_FIGURE_READERS[figure](each) ?? 0);
    }
  }
  return values;
}

/** Minimum step between two ticks of the axis. With smaller steps, neighboring ticks would have equal labels. */
const LEAST_STEP: Record<UsageFigure, number> = { cost: 0.01, tokens: 1, sessions: 1 };

/**
 * Returns the maximum of the chart's axis, which is at least `most`. The axis has ticks at each quarter, so a quarter
 * of the maximum is a round number.
 */
export function computeAxisMaximum(figure: UsageFigure, most: number): number {
  const least = Math.max(most / 4, LEAST_STEP[figure]);
  const power = 10 ** Math.floor(Math.log10(least));
  return 4 * ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= least) ?? 10) * power;
}

const quoted = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

/**
 * Formats the table as CSV, with one line per value (such as an agent) and day. A leading apostrophe protects names
 * that a spreadsheet would read as a formula.
 */
export function formatCsv(by: string, groups: readonly GroupUsage[]): string {
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
