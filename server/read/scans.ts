/** Letters of what is looked for that are priced as one comparison of a long text. */
const PRICED_LETTERS = 64;

/**
 * The number of comparisons of a long text that something to look for counts as. A text that repeats its beginning is compared again
 * at each place, so `letters` of what is looked for count as one.
 */
export const comparisonsOf = (value: unknown, letters = PRICED_LETTERS): number =>
  typeof value === "string" ? Math.max(1, Math.ceil(value.length / letters)) : 1;
