/** Every counter and gauge of the server process that /metrics shows, with the label of the counter or gauge. */
const MEASURES = {
  derived_values_repaired_total: {
    help: "Stored derived values that were wrong, so that the server computed them again.",
    label: "value",
  },
  ingest_events_accepted_total: { help: "Events and observations that the server stored, including repeats." },
  ingest_events_refused_total: { help: "Events and observations that the server did not store.", label: "reason" },
  ingest_requests_refused_total: { help: "Ingestion requests from which the server stored nothing.", label: "reason" },
  rate_limited_total: { help: "Requests that the server refused because the caller exceeded a rate limit or budget." },
  scans_refused_total: {
    help: "Long texts that the server refused because too much text was waiting for the scan for secrets.",
  },
  scans_withheld_total: {
    help: "Long texts that the server withheld because the scan for secrets did not finish in time.",
  },
  webhook_attempts_total: { help: "Attempts to send a webhook delivery.", label: "outcome" },
  job_failures_total: { help: "Failed runs of a job.", label: "job_name" },
  job_duration_seconds: { help: "Duration of the last run of a job.", label: "job_name", isState: true },
  job_last_success_timestamp_seconds: {
    help: "Time at which the last successful run of a job ended.",
    label: "job_name",
    isState: true,
  },
  job_failing_since_timestamp_seconds: {
    help: "Time of the first failure of a job since its last successful run; 0 if the last run succeeded.",
    label: "job_name",
    isState: true,
  },
  realtime_waiting_since_timestamp_seconds: {
    help: "Time since which changes wait to be sent to sockets; 0 if no change waits.",
    isState: true,
  },
  backup_last_success_timestamp_seconds: {
    help: "Time of the last scheduled backup that passed its test restore.",
    isState: true,
  },
  backup_failures_total: { help: "Scheduled backups that could not be written or restored." },
} as const satisfies Record<string, { help: string; label?: string; isState?: true }>;

export type MetricName = keyof typeof MEASURES;

const values = new Map<MetricName, Map<string, number>>();
const valuesOf = (name: MetricName): Map<string, number> => {
  const known = values.get(name) ?? new Map<string, number>();
  values.set(name, known);
  return known;
};

/**
 * Adds to a counter. @param value value of the counter's label, from a limited set in the code; never a caller's text
 */
export function incrementCounter(name: MetricName, value = "", times = 1): void {
  const known = valuesOf(name);
  known.set(value, (known.get(value) ?? 0) + times);
}

export const setGauge = (name: MetricName, state: number, value = ""): unknown => valuesOf(name).set(value, state);

/** The values of a measure, by the value of its label. */
export const readMetric = (name: MetricName): ReadonlyMap<string, number> => valuesOf(name);

export const listMetrics = (): { name: MetricName; help: string; label?: string; isState?: true }[] =>
  (Object.keys(MEASURES) as MetricName[]).map((name) => ({ name, ...MEASURES[name] }));
