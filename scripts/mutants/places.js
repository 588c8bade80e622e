// @ts-check
// Finds the places where `npm run mutants` breaks the server.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * A piece of a source that a mutant replaces: `shown` is the original text, and `kind` selects the replacement.
 * @typedef {{ file: string, line: number, kind: string, shown: string, start: number, end: number }} Place
 */

const QUOTAS = { condition: 16, await: 12, arguments: 12 };

/**
 * Draws the places for a seed. The draw depends on the text of each place, so that an edit elsewhere keeps most places.
 * @param {number} seed
 * @returns {Place[]}
 */
export function choosePlaces(seed) {
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
 * Finds every place of a file that a mutant can break.
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
  visitNodes(parseSync(file, source).program, (node) => {
    if (node.type === "IfStatement" || node.type === "ConditionalExpression") add("condition", node.test);
    if (node.type === "ExpressionStatement" && node.expression.type === "AwaitExpression")
      add("await", node.expression.argument);
    if (node.type === "CallExpression" && node.arguments.length === 2 && node.arguments.every(isPlain))
      add("arguments", { start: node.arguments[0].start, end: node.arguments[1].end });
  });
  return found;
}

/** True for a name or a property. Swapping two plain arguments runs no other code. */
const isPlain = (/** @type {any} */ { type }) => type === "Identifier" || type === "MemberExpression";

/**
 * Calls `visit` for a node and all of its descendants.
 * @param {any} node
 * @param {(node: any) => void} visit
 */
function visitNodes(node, visit) {
  if (Array.isArray(node)) for (const each of node) visitNodes(each, visit);
  else if (node && typeof node === "object") {
    if (typeof node.type === "string") visit(node);
    for (const value of Object.values(node)) visitNodes(value, visit);
  }
}
