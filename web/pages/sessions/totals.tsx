import type { SessionHistogramQuery } from "../../data/documents.ts";
import { count, money } from "../../parts/texts/format.ts";

type Histogram = SessionHistogramQuery["recordedSessionHistogram"];

/** The totals of a time's sessions. */
export function Totals({ data: { buckets, truncated }, of }: { data: Histogram; of: string }) {
  const sum = (name: "sessions" | "failed" | "tokens" | "cost") =>
    buckets.reduce((total, bucket) => total + bucket[name], 0);
  const [sessions, tokens, cost] = [sum("sessions"), sum("tokens"), sum("cost")];
  return (
    <>
      <span class="dim">{truncated ? `${of}, the newest of them` : of}:</span> <b>{sessions.toLocaleString()}</b>{" "}
      {sessions === 1 ? "session" : "sessions"} · <b>{sum("failed").toLocaleString()}</b> with failures
      {tokens > 0 && (
        <>
          {" · "}
          <b>{count(tokens)}</b> tokens
        </>
      )}
      {cost > 0 && (
        <>
          {" · "}
          <b>{money(cost)}</b>
        </>
      )}
    </>
  );
}
