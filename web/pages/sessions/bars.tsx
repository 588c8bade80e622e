import type { SessionHistogramQuery } from "../../data/documents.ts";
import { formatExactTime } from "../../parts/texts/format.ts";

type Histogram = SessionHistogramQuery["recordedSessionHistogram"];

const HEIGHT = 64;

/** Chart of the sessions that began in each interval. Failed sessions are hatched for readers who cannot see red. */
export function HistogramBars({ data }: { data: Histogram }) {
  const most = Math.max(1, ...data.buckets.map(({ sessions }) => sessions));
  const scale = (HEIGHT - 4) / most;
  return (
    <div role="img" aria-label={finding(data)} class="fill">
      <svg viewBox={`0 0 ${data.buckets.length * 10} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <defs>
          <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="badb" width="4" height="4" />
            <rect class="gapb" width="1.1" height="4" />
          </pattern>
        </defs>
        <path class="grid" d={`M0 .5H${data.buckets.length * 10}M0 63.5H${data.buckets.length * 10}`} fill="none" />
        {data.buckets.map(({ at, sessions, failed }, n) => {
          const [whole, bad] = [sessions * scale, failed * scale];
          return (
            <g key={at}>
              {sessions > 0 && <rect class="okb on" x={n * 10 + 1} y={HEIGHT - whole} width="8" height={whole - bad} />}
              {failed > 0 && <rect fill="url(#hatch)" x={n * 10 + 1} y={HEIGHT - bad} width="8" height={bad} />}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** Describes the chart in a sentence. */
function finding({ buckets }: Histogram): string {
  const sum = (of: "sessions" | "failed") => buckets.reduce((total, bucket) => total + bucket[of], 0);
  const top = buckets.reduce(
    (best, bucket) => (bucket.sessions > best.sessions ? bucket : best),
    buckets[0] ?? { at: "", sessions: 0, failed: 0 },
  );
  if (top.sessions === 0) return "No sessions in this time range.";
  return `${sum("sessions")} sessions, ${sum("failed")} with failures. The maximum is ${top.sessions} at ${formatExactTime(Date.parse(top.at))}.`;
}
