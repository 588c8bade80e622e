import { type ChartLayer, computeAxisMaximum, USAGE_FIGURE_FORMATTERS, type UsageFigure } from "./figures.ts";

const HEIGHT = 200;
const WIDE = 0.76;
const TICKS = [1, 0.75, 0.5, 0.25, 0];

interface ChartProps {
  figure: UsageFigure;
  days: readonly string[];
  layers: readonly ChartLayer[];
  /** Total of each day in the previous period, in order of the days. */
  before: readonly number[];
}

/**
 * Chart of a figure by day, with one layer per value, such as one agent, and a line for the previous period. The table
 * below the chart contains the numbers.
 */
export function UsageChart({ figure, days, layers, before }: ChartProps) {
  const sums = days.map((_, at) => layers.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const top = computeAxisMaximum(figure, Math.max(...sums, ...before));
  const y = (value: number) => HEIGHT * (1 - value / top);
  const highest = sums.indexOf(Math.max(...sums));
  const words = `By day. The maximum is ${USAGE_FIGURE_FORMATTERS[figure](sums[highest] ?? 0)} on ${days[highest]}.`;
  const step = Math.ceil(days.length / 10);
  const under = days.map(() => 0);
  return (
    <div class="usage-chart">
      <div class="ys" aria-hidden="true">
        {TICKS.map((part) => (
          <span key={part}>{part === 0 ? "0" : USAGE_FIGURE_FORMATTERS[figure](top * part)}</span>
        ))}
      </div>
      <div class="plot-area" role="img" aria-label={words}>
        <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {TICKS.map((part) => (
            <path key={part} class="grid" d={`M0 ${y(top * part)}H${days.length}`} />
          ))}
          {layers.map(({ name, values }, n) => {
            const d = values.map((value, at) => {
              const from = under[at] ?? 0;
              under[at] = from + value;
              if (value <= 0) return "";
              const height = (HEIGHT * value) / top;
              return `M${at + (1 - WIDE) / 2} ${y(from).toFixed(2)}v${(-height).toFixed(2)}h${WIDE}v${height.toFixed(2)}z`;
            });
            return <path key={name} class={`layer m${n + 1}`} d={d.join("")} />;
          })}
          {before.some((value) => value > 0) && (
            <polyline
              class="before"
              points={before.map((value, at) => `${at + 0.5},${y(value).toFixed(2)}`).join(" ")}
            />
          )}
        </svg>
      </div>
      <div class="days-axis" aria-hidden="true">
        {days.map((day, at) => (
          <span key={day} class={at % (2 * step) === 0 ? undefined : "between"}>
            {at % step === 0 && dayName(day)}
          </span>
        ))}
      </div>
    </div>
  );
}

const names = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const dayName = (day: string): string => names.format(Date.parse(day));
