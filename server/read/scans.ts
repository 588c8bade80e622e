/** So many letters of what is looked for count as one comparison: a text that repeats its beginning is compared again at each place. */
const LETTERS = 64;

/** How many comparisons of a long text something to look for counts as. */
export const scansFor = (value: unknown): number =>
  typeof value === "string" ? Math.max(1, Math.ceil(value.length / LETTERS)) : 1;
