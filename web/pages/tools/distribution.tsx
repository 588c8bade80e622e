import { formatPlural } from "../../parts/texts/format.ts";
import { LATENCY_BAND_LABELS, LATENCY_BAND_LIMITS_MS } from "./charts.tsx";
import type { ToolData } from "./tool.tsx";

/** Returns the names of the percentiles that lie in a band. */
function marksOf({ p50, p95, p99 }: ToolData, band: number): string {
  const names = Object.entries({ p50, p95, p99 });
  return names
    .flatMap(([name, ms]) => (ms !== null && LATENCY_BAND_LIMITS_MS.findIndex((end) => ms <= end) === band ? name : []))
    .join(" ");
}

/** Bar chart of the number of calls in each latency band. Failed calls are drawn separately. */
export function LatencyDistribution({ tool }: { tool: ToolData }) {
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
          {LATENCY_BAND_LABELS.map((band, at) => {
            const [calls, failed] = [tool.bandCalls[at] ?? 0, tool.bandFailures[at] ?? 0];
            return (
              <li key={band} title={`up to ${band}: ${formatPlural(calls, "call")}, ${failed} failed`}>
                <span>{band}</span>
                <span class="b">
                  <i style={{ "--v": (80 * (calls - failed)) / most }} />
                  <i class="f" style={{ "--v": (80 * failed) / most }} />
                  <em>{marksOf(tool, at)}</em>
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
