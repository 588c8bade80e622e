/**
 * Share in percent of the specified runs of a property that are actually run: FC_RUNS. The share is small after each
 * edit, 100 before a change is merged, and larger when searching for a fault. Runs are random each time, so over days
 * small shares find what many runs find at once.
 */
const SHARE = Number(process.env["FC_RUNS"] || 10);
if (!(SHARE > 0)) throw new Error("FC_RUNS takes a percentage, such as 100");

/** Scales the number of runs of a property, or of rounds of a model. CI runs all of them. */
export const scaleRuns = (all: number): number => Math.max(1, Math.round((all * SHARE) / 100));

/** Picks a random sample in proportion to the share of runs. CI uses all entries. */
export const sample = <T>(all: readonly T[]): T[] => {
  const first = Math.floor(Math.random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)].slice(0, scaleRuns(all.length));
};
