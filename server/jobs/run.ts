import { setTimeout as sleep } from "node:timers/promises";
import { affectsAll, PartsFailed } from "../../db/errors/parts.ts";
import { MINUTE_MS } from "../../formats/time.ts";
import { count, counted, note } from "../counters.ts";
import type { Runtime } from "../runtime.ts";

/** A job and its interval. */
export interface Job {
  every: number;
  /** It makes up for a restore, and so begins when the server does. */
  makesUp?: true;
  /** Other work waits for this job, so it rests for its interval only, however long it worked. */
  isPrompt?: true;
  /** One whose slices follow each other for long calls `rest` between them, which ends it once the server stops. */
  work(runtime: Runtime, rest?: () => Promise<void>): Promise<unknown>;
}

/** Servers that start together begin apart. */
const SOON_MS = 1_000;
/** A job that failed is tried again within this time, so that one failure of an hourly job is no alert. */
const RETRY_MS = 4 * MINUTE_MS;
/** A job rests so many times as long as it worked: however much there is to do, it leaves the database to others. */
const RESTS = 20;

/** Runs a job at its interval, at another moment on each process, until the server stops. */
export async function repeatJob(runtime: Runtime, name: string, job: Job): Promise<void> {
  const { stopping } = runtime;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping, ref: false });
  let rested = 0;
  const rest = async (least = 0) => {
    await pause(job.isPrompt ? least : Math.max(least, RESTS * (performance.now() - rested)));
    rested = performance.now();
  };
  note(FAILING_SINCE, 0, name);
  await pause(Math.random() * (job.makesUp ? SOON_MS : job.every)).catch(() => {});
  while (!stopping.aborted) {
    rested = performance.now();
    const works = await runJob(runtime, name, job, rest);
    await rest(works ? job.every : Math.min(job.every, RETRY_MS)).catch(() => {});
  }
}

const FAILING_SINCE = "job_failing_since_timestamp_seconds";

/** Runs a job once, and counts and logs the outcome. Resolves to false when all of it or a part failed. */
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
    note("job_last_success_timestamp_seconds", Date.now() / 1000, name);
    note("job_duration_seconds", (performance.now() - began) / 1000, name);
    note(FAILING_SINCE, 0, name);
    return true;
  } catch (error) {
    if (stopping.aborted && endsWithServer(error)) return true;
    logFailure(runtime, name, error);
    count("job_failures_total", name);
    if (!counted(FAILING_SINCE).get(name)) note(FAILING_SINCE, Date.now() / 1000, name);
    return false;
  }
}

/** True for a failure of a job whose server stops: it was aborted, or the database was closed under it. */
const endsWithServer = (error: unknown): boolean =>
  error instanceof PartsFailed ? error.shown.every((part) => affectsAll(part.error)) : affectsAll(error);

function logFailure({ log }: Runtime, job: string, error: unknown): void {
  if (!(error instanceof PartsFailed)) {
    log.warn({ err: error, job }, "job failed; tried again later");
    return;
  }
  for (const { part, error: reason } of error.shown)
    log.warn({ err: reason, job, ...part }, "part of a job failed; tried again later");
  log.warn({ job, failures: error.failures }, "job failed in parts; the other parts are done");
}
