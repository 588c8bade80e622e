import { setTimeout as sleep } from "node:timers/promises";
import { affectsAllParts, PartsFailedError } from "../../db/errors/parts.ts";
import { MINUTE_MS } from "../../formats/time.ts";
import { incrementCounter, readMetric, setGauge } from "../counters.ts";
import type { Runtime } from "../runtime.ts";

/** Background job and its interval in ms. */
export interface Job {
  every: number;
  /** True if the job repairs the data after a restore. The job then starts together with the server. */
  makesUp?: true;
  /**
   * True if other work waits for the job. The job then pauses only for the job's interval, however long the job ran.
   */
  isPrompt?: true;
  /**
   * A job with many consecutive slices calls `rest` between slices. `rest` throws when the server stops, which ends the
   * job.
   */
  work(runtime: Runtime, rest?: () => Promise<void>): Promise<unknown>;
}

/**
 * Maximum random delay before the first run of a job that starts with the server. Servers that start together then run
 * the job at different times.
 */
const SOON_MS = 1_000;
/** Maximum delay before a failed job is retried, so that a single failure of an hourly job raises no alert. */
const RETRY_MS = 4 * MINUTE_MS;
/**
 * After a run, a job pauses for this multiple of the run's duration. The database therefore stays available to
 * requests, however much work the job has.
 */
const RESTS = 20;

/** Runs a job at its interval until the server stops. Each process starts the job at a different time. */
export async function repeatJob(runtime: Runtime, name: string, job: Job): Promise<void> {
  const { stopping } = runtime;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping, ref: false });
  let rested = 0;
  const rest = async (least = 0) => {
    await pause(job.isPrompt ? least : Math.max(least, RESTS * (performance.now() - rested)));
    rested = performance.now();
  };
  setGauge(FAILING_SINCE, 0, name);
  await pause(Math.random() * (job.makesUp ? SOON_MS : job.every)).catch(() => {});
  while (!stopping.aborted) {
    rested = performance.now();
    const works = await runJob(runtime, name, job, rest);
    await rest(works ? job.every : Math.min(job.every, RETRY_MS)).catch(() => {});
  }
}

const FAILING_SINCE = "job_failing_since_timestamp_seconds";

/** Runs a job once, and counts and logs the outcome. Resolves to false if the job failed entirely or in part. */
export async function runJob(
  runtime: Runtime,
  name: string,
  { work }: Job,
  rest?: () => Promise<void>,
): Promise<boolean> {
  const { db, log, stopping } = runtime;
  const began = performance.now();
  try {
    const done = await db.as("upkeep", async () => work(runtime, rest));
    log.debug({ job: name, done }, "job done");
    setGauge("job_last_success_timestamp_seconds", Date.now() / 1000, name);
    setGauge("job_duration_seconds", (performance.now() - began) / 1000, name);
    setGauge(FAILING_SINCE, 0, name);
    return true;
  } catch (error) {
    if (stopping.aborted && endsWithServer(error)) return true;
    logFailure(runtime, name, error);
    incrementCounter("job_failures_total", name);
    if (!readMetric(FAILING_SINCE).get(name)) setGauge(FAILING_SINCE, Date.now() / 1000, name);
    return false;
  }
}

/** Returns true if a job failed because the server stops: the job was aborted, or the database was closed. */
const endsWithServer = (error: unknown): boolean =>
  error instanceof PartsFailedError ? error.shown.every((part) => affectsAllParts(part.error)) : affectsAllParts(error);

function logFailure({ log }: Runtime, job: string, error: unknown): void {
  if (!(error instanceof PartsFailedError)) {
    log.warn({ err: error, job }, "job failed; the server will retry");
    return;
  }
  for (const { part, error: reason } of error.shown)
    log.warn({ err: reason, job, ...part }, "part of a job failed; the server will retry");
  log.warn({ job, failures: error.failures }, "parts of a job failed; the other parts are done");
}
