// @ts-check
// The places where `npm run mutants` breaks the server.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * A piece of a source and what stands there instead: the original, and what is done when the mutant is chosen.
 * @typedef {{ file: string, line: number, kind: string, shown: string, start: number, end: number }} Place
 */

/** The number of places of each kind. */
const QUOTAS = { condition: 16, await: 12, arguments: 12 };

/**
 * The places of a seed. They are drawn by what stands there, so that an edit elsewhere leaves most of them as they are.
 * @param {number} seed
 * @returns {Place[]}
 */
export function chosenPlaces(seed) {
  const all = readdirSync("server", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => placesIn(join("server", path)));
  const drawn = (/** @type {Place} */ { file, kind, shown }) =>
    createHash("sha256").update(`${seed} ${file} ${kind} ${shown}`).digest("hex");
  const sorted = all.map((place) => ({ place, key: drawn(place) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  return Object.entries(QUOTAS).flatMap(([kind, most]) =>
    sorted
      .filter(({ place }) => place.kind === kind)
      .slice(0, most)
      .map(({ place }) => place),
  );
}

/**
 * Every place of a file that can be broken.
 * @param {string} file
 * @returns {Place[]}
 */
function placesIn(file) {
  const source = readFileSync(file, "utf8");
  /** @type {Place[]} */
  const found = [];
  const add = (/** @type {string} */ kind, /** @type {any} */ { start, end }) => {
    const line = source.slice(0, start).split("\n").length;
    found.push({ file, line, kind, shown: source.slice(start, end).replace(/\s+/g, " ").slice(0, 80), start, end });
  };
  walk(parseSync(file, source).program, (node) => {
    if (node.type === "IfStatement" || node.type === "ConditionalExpression") add("condition", node.test);
    if (node.type === "ExpressionStatement" && node.expression.type === "AwaitExpression")
      add("await", node.expression.argument);
    if (node.type === "CallExpression" && node.arguments.length === 2 && node.arguments.every(isPlain))
      add("arguments", { start: node.arguments[0].start, end: node.arguments[1].end });
  });
  return found;
}

/** Swapping these two evaluates nothing else. */
const isPlain = (/** @type {any} */ { type }) => type === "Identifier" || type === "MemberExpression";

/**
 * Calls `visit` for a node and all within it.
 * @param {any} node
 * @param {(node: any) => void} visit
 */
function walk(node, visit) {
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else if (node && typeof node === "object") {
    if (typeof node.type === "string") visit(node);
    for (const value of Object.values(node)) walk(value, visit);
  }
}
