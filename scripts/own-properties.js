// @ts-check
// `npm run check` runs this script, which refuses `object[name]` and `name in object` when the name may be any text.
// Every object inherits `constructor` and `__proto__`, and a user may choose these as the name of a tool, a model or
// a field. `getOwnProperty` (formats/own.ts) reads only own properties, and a Map has no inherited entries. Only types show
// which names belong to a fixed set, so the script asks TypeScript.
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SyntaxKind as Kind } from "typescript/unstable/ast";
import { API, TypeFlags } from "typescript/unstable/sync";
import { SOURCES } from "./folders.js";

/** @typedef {import("typescript/unstable/ast").Node} Node */
/** @typedef {{ path: string, line: number, code: string }} Finding */

const CURE =
  "may read what every object inherits, such as `constructor`: use getOwnProperty of formats/own.ts, or a Map";

/** Types of names that may be any text. */
const ANY_TEXT =
  TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping | TypeFlags.Any | TypeFlags.Unknown;

/**
 * Finds every place that may read an inherited property in the sources of a project.
 * @param {string} config path of a tsconfig.json
 * @param {(path: string) => boolean} isSource
 * @returns {Finding[]}
 */
export function findInherited(config, isSource) {
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProjects: [resolve(config)] }).getProject(resolve(config));
    if (!project) throw new Error(`no project at ${config}`);
    const { program, checker } = project;
    return program.getSourceFileNames().flatMap((path) => {
      const file = isSource(path) ? program.getSourceFile(path) : undefined;
      const uses = file ? usesIn(file) : [];
      if (!file || uses.length === 0) return [];
      const types = checker.getTypeAtLocation(uses.map(({ name }) => name));
      return uses.flatMap(({ node, name }, at) => {
        if (!isAnyText(types[at], checker) && name.kind !== Kind.AsExpression) return [];
        const start = node.getStart(file);
        const line = file.text.slice(0, start).split("\n").length;
        return [{ path: relative("", path), line, code: file.text.slice(start, node.end) }];
      });
    });
  } finally {
    api.close();
  }
}

/**
 * @param {any} type
 * @param {any} checker
 * @returns {boolean}
 */
function isAnyText(type, checker) {
  if (!type || type.flags & ANY_TEXT) return true;
  if (type.flags & TypeFlags.Union) return type.getTypes().some((/** @type {any} */ each) => isAnyText(each, checker));
  if (!(type.flags & TypeFlags.TypeParameter)) return false;
  const constraint = checker.getBaseConstraintOfType(type);
  return constraint !== type && isAnyText(constraint, checker);
}

/**
 * Finds reads of a property by a computed name, each with the name.
 * @param {Node} file
 */
function usesIn(file) {
  /** @type {{ node: Node, name: Node }[]} */
  const uses = [];
  /** @param {any} node */
  const walk = (node) => {
    if (node.kind === Kind.ElementAccessExpression && !isLiteral(node.argumentExpression) && !isWritten(node))
      uses.push({ node, name: node.argumentExpression });
    if (node.kind === Kind.BinaryExpression && node.operatorToken.kind === Kind.InKeyword && !isLiteral(node.left))
      uses.push({ node, name: node.left });
    node.forEachChild(walk);
  };
  file.forEachChild(walk);
  return uses;
}

/** @param {Node} node */
const isLiteral = ({ kind }) =>
  [Kind.StringLiteral, Kind.NumericLiteral, Kind.NoSubstitutionTemplateLiteral, Kind.PrivateIdentifier].includes(kind);

/** @param {any} node */
const isWritten = (node) => {
  const { parent } = node;
  if (parent.kind === Kind.DeleteExpression) return true;
  return (
    parent.kind === Kind.BinaryExpression && parent.left === node && parent.operatorToken.kind === Kind.EqualsToken
  );
};

const ROOTS = SOURCES.map((folder) => `${resolve(folder)}/`);

/**
 * True for Trackway's sources, except the file that defines `getOwnProperty`.
 * @param {string} path
 */
const isOurs = (path) => path !== resolve("formats/own.ts") && ROOTS.some((root) => path.startsWith(root));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const web = `${resolve("web")}/`;
  const found = [
    ...findInherited("tsconfig.json", (path) => isOurs(path) && !path.startsWith(web)),
    ...findInherited("web/tsconfig.json", (path) => path.startsWith(web)),
  ];
  for (const { path, line, code } of found) console.error(`${path}:${line}: ${code} ${CURE}`);
  if (found.length > 0) process.exitCode = 1;
}
