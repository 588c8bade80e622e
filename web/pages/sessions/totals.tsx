import type { SessionHistogramQuery } from "../../data/documents.ts";
import { formatCost, formatCount } from "../../parts/texts/format.ts";

type Histogram = SessionHistogramQuery["recordedSessionHistogram"];

/** Totals of the sessions in a time range. */
export function SessionTotals({ data: { buckets, truncated }, of }: { data: Histogram; of: string }) {
  const sum = (name: "sessions" | "failed" | "tokens" | "cost") =>
    buckets.reduce((total, bucket) => total + bucket[name], 0);
  const [sessions, tokens, cost] = [sum("sessions"), sum("tokens"), sum("cost")];
  return (
    <>
      <span class="dim">{truncated ? `${of}, newest sessions only` : of}:</span> <b>{sessions.toLocaleString()}</b>{" "}
      {sessions === 1 ? "session" : "sessions"} · <b>{sum("failed").toLocaleString()}</b> with failures
      {tokens > 0 && (
        <>
          {" · "}
          <b>{formatCount(tokens)}</b> tokens
        </>
      )}
      {cost > 0 && (
        <>
          {" · "}
          <b>{formatCost(cost)}</b>
        </>
      )}
    </>
  );
}
