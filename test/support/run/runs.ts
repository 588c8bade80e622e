/**
 * The share of its runs that a property makes, in percent: FC_RUNS. It is small after each edit, 100 before a change
 * lands, and larger to search for a fault. Runs are drawn anew each time: small shares find in days what many runs find
 * at once.
 */
const SHARE = Number(process.env["FC_RUNS"] || 10);
if (!(SHARE > 0)) throw new Error("FC_RUNS takes a percentage, such as 100");

/** The runs of a property, or the rounds of a model, that makes so many in CI. */
export const runs = (all: number): number => Math.max(1, Math.round((all * SHARE) / 100));

/** As many of these as a property would make runs, drawn anew each time: all of them in CI. */
export const someOf = <T>(all: readonly T[]): T[] => {
  const first = Math.floor(Math.random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)].slice(0, runs(all.length));
};
