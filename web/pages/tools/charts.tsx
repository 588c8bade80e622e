import { duration, exact, plural } from "../../parts/format.ts";
import type { ToolData } from "./tool.tsx";

/** Ends of the bands of latency, as the server counts them; the last has none. */
const BANDS = ["10 ms", "30 ms", "100 ms", "300 ms", "1 s", "2 s", "5 s", "10 s", "30 s", "60 s", "2 min", "longer"];
const WIDTH = 10;
const HEIGHT = 14;
const STEPS = 5;

/** When calls took how long: darker where there were more. */
export function LatencyOverTime({ tool }: { tool: ToolData }) {
  const most = Math.max(1, ...tool.buckets.flatMap(({ bands }) => bands));
  const busiest = tool.buckets.reduce((a, b) => ((b.p95 ?? 0) > (a.p95 ?? 0) ? b : a));
  const words = `Latency of ${tool.name}: p50 ${duration(tool.p50)}, p95 ${duration(tool.p95)} over the whole time; the slowest part began ${exact(Date.parse(busiest.at))}, p95 ${duration(busiest.p95)}.`;
  const height = BANDS.length * HEIGHT;
  return (
    <section class="card" aria-labelledby="latency">
      <header>
        <h2 id="latency">Latency over time</h2>
        <span class="acts only-wide">darker: more calls</span>
      </header>
      <div class="chart">
        <div class="heat">
          <div class="ys" aria-hidden="true">
            {[11, 9, 7, 5, 3, 1].map((band) => (
              <span key={band}>{band === 11 ? "longer" : BANDS[band]}</span>
            ))}
          </div>
          <div class="pl" role="img" aria-label={words}>
            <svg viewBox={`0 0 ${tool.buckets.length * WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
              {tool.buckets.flatMap(({ at, bands }, x) =>
                bands.map((calls, band) =>
                  calls > 0 ? (
                    <rect
                      key={`${at} ${BANDS[band]}`}
                      class={`h${Math.max(1, Math.ceil((STEPS * Math.log1p(calls)) / Math.log1p(most)))}`}
                      x={x * WIDTH}
                      y={height - (band + 1) * HEIGHT}
                      width={WIDTH - 0.8}
                      height={HEIGHT - 1}
                    />
                  ) : null,
                ),
              )}
            </svg>
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

const day = (at: string): string =>
  new Date(at).toLocaleString(undefined, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });

/** How many calls took how long, those that failed apart. */
export function Distribution({ tool }: { tool: ToolData }) {
  const most = Math.max(1, ...tool.bandCalls);
  return (
    <section class="card" aria-labelledby="distribution">
      <header>
        <h2 id="distribution">Distribution</h2>
        <span class="acts row">
          <span class="key">
            <i class="f" />
            failed
          </span>
        </span>
      </header>
      <div class="chart">
        <ul class="bars">
          {BANDS.map((band, at) => {
            const [calls, failed] = [tool.bandCalls[at] ?? 0, tool.bandFailures[at] ?? 0];
            return (
              <li key={band} title={`up to ${band}: ${plural(calls, "call")}, ${failed} failed`}>
                <span>{band}</span>
                <span class="b">
                  <i style={{ "--v": (80 * (calls - failed)) / most }} />
                  <i class="f" style={{ "--v": (80 * failed) / most }} />
                </span>
                <span>{calls}</span>
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
