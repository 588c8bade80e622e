/** Every counter and gauge of this process that /metrics shows, with its label. */
const MEASURES = {
  derived_values_repaired_total: {
    help: "Kept values that differed from what they are derived from and were derived anew.",
    label: "value",
  },
  ingest_events_accepted_total: { help: "Events and observations that were stored, repeats included." },
  ingest_events_refused_total: { help: "Events and observations that were not stored.", label: "reason" },
  ingest_requests_refused_total: { help: "Ingestion requests of which nothing was stored.", label: "reason" },
  rate_limited_total: { help: "Requests refused since their caller sent too many or too dear ones." },
  scans_refused_total: { help: "Texts refused since too much text waited for the search for secrets." },
  scans_withheld_total: { help: "Texts withheld as a whole since the search for secrets did not end in time." },
  webhook_attempts_total: { help: "Attempts to deliver a webhook.", label: "outcome" },
  job_failures_total: { help: "Runs of a job that failed.", label: "job_name" },
  job_duration_seconds: { help: "Duration of the last run of a job.", label: "job_name", isState: true },
  job_last_success_timestamp_seconds: {
    help: "End of the last run of a job that worked.",
    label: "job_name",
    isState: true,
  },
  job_failing_since_timestamp_seconds: {
    help: "First failure of a job since its last run that worked; 0 while it works.",
    label: "job_name",
    isState: true,
  },
  realtime_waiting_since_timestamp_seconds: {
    help: "Moment since which changes wait for the sockets; 0 while none do.",
    isState: true,
  },
  backup_last_success_timestamp_seconds: {
    help: "End of the last scheduled backup that was restored on trial.",
    isState: true,
  },
  backup_failures_total: { help: "Scheduled backups that were not written or could not be restored." },
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
