const repaired = new Map<string, number>();

/** Counts derived values that differed from their source, and were derived anew. */
export const noteRepaired = (value: string, times: number): unknown =>
  repaired.set(value, (repaired.get(value) ?? 0) + times);

/** The number of repairs of each kind since this process started; anything but 0 is a fault. */
export const repairs = (): ReadonlyMap<string, number> => repaired;
