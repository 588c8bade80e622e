import type { Prepared } from "../merge/resolve.ts";
import type { Observation } from "../observation.ts";
import { type Cleaning, prepare } from "../prepare.ts";

/** Prepares observations. Answers those to keep, and why the others are not, by their place. */
export function prepareAll(
  observations: readonly Observation[],
  cleaning: Cleaning,
): { prepared: Prepared[]; rejected: Map<number, string> } {
  const rejected = new Map<number, string>();
  const prepared: Prepared[] = [];
  observations.forEach((sent, index) => {
    const observation = prepare(sent, cleaning);
    if ("reason" in observation) rejected.set(index, observation.reason);
    else prepared.push({ index, observation });
  });
  return { prepared, rejected };
}
