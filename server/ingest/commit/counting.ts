import { incrementCounter } from "../../counters.ts";
import type { Recording } from "../observe/append.ts";
import type { Commit } from "./group-commit.ts";
import type { RowVerdict } from "./sink.ts";

export const countingCommit =
  (commit: Commit): Commit =>
  async (submission) => {
    const outcome = await commit(submission);
    if (outcome.key === "valid") countVerdicts(outcome.events);
    return outcome;
  };

function countVerdicts(verdicts: readonly RowVerdict[]): void {
  const others = verdicts.filter((verdict) => verdict !== "stored");
  if (verdicts.length > others.length)
    incrementCounter("ingest_events_accepted_total", "", verdicts.length - others.length);
  for (const verdict of others)
    incrementCounter("ingest_events_refused_total", typeof verdict === "string" ? verdict : "refused");
}

export const countingRecord =
  (record: Recording): Recording =>
  async (key, observations) => {
    const outcome = await record(key, observations);
    if (outcome.key !== "valid") return outcome;
    const refused = outcome.rejected.length;
    incrementCounter("ingest_events_accepted_total", "", observations.length - refused);
    if (refused > 0) incrementCounter("ingest_events_refused_total", "refused", refused);
    return outcome;
  };
