import { formatDuration, formatExactTime } from "../../parts/texts/format.ts";
import type { ToolData } from "./tool.tsx";

/** Labels of the latency bands that the server counts: the upper limit of each band. The last band has no limit. */
export const LATENCY_BAND_LABELS = [
  "10 ms",
  "30 ms",
  "100 ms",
  "300 ms",
  "1 s",
  "2 s",
  "5 s",
  "10 s",
  "30 s",
  "60 s",
  "2 min",
  "longer",
];
/** Upper limits of the latency bands in milliseconds. */
export const LATENCY_BAND_LIMITS_MS = [
  10,
  30,
  100,
  300,
  1_000,
  2_000,
  5_000,
  10_000,
  30_000,
  60_000,
  120_000,
  Number.POSITIVE_INFINITY,
];
const WIDTH = 10;
const HEIGHT = 14;
const STEPS = 5;

/** Heat map of latency over time. Darker cells contain more calls. */
export function LatencyHeatMap({ tool }: { tool: ToolData }) {
  const busiest = tool.buckets.reduce((a, b) => ((b.p95 ?? 0) > (a.p95 ?? 0) ? b : a));
  const words = `Latency of ${tool.name}: p50 ${formatDuration(tool.p50)}, p95 ${formatDuration(tool.p95)} over the whole time range. The slowest interval began at ${formatExactTime(Date.parse(busiest.at))} with p95 ${formatDuration(busiest.p95)}.`;
  return (
    <section class="card" aria-labelledby="latency">
      <header>
        <h2 id="latency">Latency over time</h2>
        <span class="acts only-wide">
          fewer
          {[1, 2, 3, 4, 5].map((step) => (
            <i key={step} class={`cell h${step}`} />
          ))}
          more calls; solid line: p95, dashed line: p50
        </span>
      </header>
      <div class="chart">
        <div class="heat">
          <div class="ys" aria-hidden="true">
            {[11, 9, 7, 5, 3, 1].map((band) => (
              <span key={band}>{band === 11 ? "longer" : LATENCY_BAND_LABELS[band]}</span>
            ))}
          </div>
          <div class="pl" role="img" aria-label={words}>
            <HeatMap tool={tool} />
          </div>
          <div class="axis row between">
            <span>{day(tool.from)}</span>
            <span>{day(tool.to)}</span>
          </div>
        </div>
      </div>
    </section>
  );
}

/** Cells of the heat map, one for each interval and latency band with calls, and a line for each percentile. */
function HeatMap({ tool }: { tool: ToolData }) {
  const most = Math.max(1, ...tool.buckets.flatMap(({ bands }) => bands));
  const height = LATENCY_BAND_LABELS.length * HEIGHT;
  return (
    <svg viewBox={`0 0 ${tool.buckets.length * WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {tool.buckets.flatMap(({ at, bands }, x) =>
        bands.map((calls, band) =>
          calls > 0 ? (
            <rect
              key={`${at} ${LATENCY_BAND_LABELS[band]}`}
              class={`h${Math.max(1, Math.ceil((STEPS * Math.log1p(calls)) / Math.log1p(most)))}`}
              x={x * WIDTH}
              y={height - (band + 1) * HEIGHT}
              width={WIDTH - 0.8}
              height={HEIGHT - 1}
            />
          ) : null,
        ),
      )}
      {(["p95", "p50"] as const).map((name) => (
        <path key={name} class={name === "p50" ? "line dash" : "line"} d={courseOf(tool, name)} />
      ))}
    </svg>
  );
}

/** Returns the SVG path of a percentile over the intervals. The line has a gap at intervals without calls. */
function courseOf({ buckets }: ToolData, name: "p50" | "p95"): string {
  let pen = "M";
  return buckets
    .map(({ [name]: ms }, x) => {
      const drawn = ms === null ? "" : `${pen}${((x + 0.5) * WIDTH).toFixed(1)} ${heightOf(ms).toFixed(1)}`;
      pen = ms === null ? "M" : "L";
      return drawn;
    })
    .join("");
}

/**
 * Returns the distance of a latency from the top of the heat map. All latency bands have the same height, and the scale
 * within a band is logarithmic.
 */
function heightOf(ms: number): number {
  const band = LATENCY_BAND_LIMITS_MS.findIndex((end) => ms <= end);
  const [low, high] = [LATENCY_BAND_LIMITS_MS[band - 1] ?? 3, Math.min(LATENCY_BAND_LIMITS_MS[band] ?? 1, 600_000)];
  const within = Math.log(Math.max(ms, low) / low) / Math.log(high / low);
  return (LATENCY_BAND_LABELS.length - band - Math.min(1, within)) * HEIGHT;
}

const day = (at: string): string =>
  new Date(at).toLocaleString(undefined, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
