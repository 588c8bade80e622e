import { incrementCounter } from "../../counters.ts";
import type { RecordObservations } from "../observe/append.ts";
import type { CommitSubmission } from "./group-commit.ts";
import type { RowVerdict } from "./sink.ts";

export const withCommitMetrics =
  (commit: CommitSubmission): CommitSubmission =>
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

export const withRecordingMetrics =
  (record: RecordObservations): RecordObservations =>
  async (key, observations) => {
    const outcome = await record(key, observations);
    if (outcome.key !== "valid") return outcome;
    const refused = outcome.rejected.length;
    incrementCounter("ingest_events_accepted_total", "", observations.length - refused);
    if (refused > 0) incrementCounter("ingest_events_refused_total", "refused", refused);
    return outcome;
  };
