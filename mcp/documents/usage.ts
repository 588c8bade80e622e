/** The document of the tool about usage. */
export const USAGE = {
  get: `query RecordedUsage($groupBy: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration) {
  recordedUsage(groupBy: $groupBy, from: $from, to: $to) {
    from to truncated groups { name sessions inputTokens outputTokens cost costSource missingCosts }
  }
}`,
} as const;
