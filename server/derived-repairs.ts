const repaired = new Map<string, number>();

/** Counts values that differed from what they are derived from, and were derived anew. */
export const noteRepaired = (value: string, times: number): unknown =>
  repaired.set(value, (repaired.get(value) ?? 0) + times);

/** How many of each this process repaired since it started; none but 0 is well. */
export const repairs = (): ReadonlyMap<string, number> => repaired;
