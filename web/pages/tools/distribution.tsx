import { plural } from "../../parts/texts/format.ts";
import { BANDS, ENDS } from "./charts.tsx";
import type { ToolData } from "./tool.tsx";

/** The percentiles in a band. */
function marksOf({ p50, p95, p99 }: ToolData, band: number): string {
  const names = Object.entries({ p50, p95, p99 });
  return names
    .flatMap(([name, ms]) => (ms !== null && ENDS.findIndex((end) => ms <= end) === band ? name : []))
    .join(" ");
}

/** The calls by duration, failed ones apart. */
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
