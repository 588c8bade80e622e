/**
 * How much of its runs a property makes, in percent: FC_RUNS. Few are made after each edit, all of them before a change
 * lands, and more to search for a fault. Runs are drawn anew each time, so that few find in days what many find at once.
 */
const SHARE = Number(process.env["FC_RUNS"] || 20);
if (!(SHARE > 0)) throw new Error("FC_RUNS takes a percentage, such as 100");

/** Runs of a property that makes so many in CI. */
export const runs = (all: number): number => Math.max(1, Math.round((all * SHARE) / 100));
