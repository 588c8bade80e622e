/** The median of some figures (the upper of two); NaN without figures. */
export const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
