// @ts-check
// Inserts the mutants of `npm run mutants` into the compiled code. TEST_MUTANT selects the active mutant.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("../../../scripts/mutants/places.js").Place} Place */

const { TEST_MUTANTS, TEST_MUTANT } = process.env;
/** @type {Place[]} */
const places = TEST_MUTANTS ? JSON.parse(readFileSync(TEST_MUTANTS, "utf8")) : [];

/** Numbers of the places that ran since the set was last cleared. */
export const reachedPlaces = new Set();
const isMutant = (/** @type {number} */ number) => {
  reachedPlaces.add(number);
  return String(number) === TEST_MUTANT;
};
if (TEST_MUTANTS) Object.assign(globalThis, { isMutant });

/**
 * Returns a source with all mutants inserted.
 * @param {string} path
 * @param {string} source
 */
export function withMutants(path, source) {
  const here = places
    .map((place, number) => ({ ...place, number }))
    .filter(({ file }) => join(process.cwd(), file) === path);
  let text = source;
  for (const place of here.sort((one, other) => other.start - one.start))
    text = text.slice(0, place.start) + mutated(place, source.slice(place.start, place.end)) + text.slice(place.end);
  return text;
}

/** @param {Place & { number: number }} place @param {string} text */
function mutated({ kind, number }, text) {
  if (kind === "condition") return `(isMutant(${number}) ? !(${text}) : (${text}))`;
  if (kind === "await") return `(isMutant(${number}) ? void (${text}) : (${text}))`;
  const [one, other] = text.split(/,\s*/);
  return `...(isMutant(${number}) ? [${other}, ${one}] : [${one}, ${other}])`;
}
