// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Collects the licences of the packages in a bundle. Distributors of a package's code must include the licence.
 * @param {string} root
 * @param {import("esbuild").Metafile["inputs"]} inputs
 * @returns {string} the packages by name, each with the text of its licence
 * @throws Error for a package without such a text
 */
export function collectLicences(root, inputs) {
  const folders = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => licenceOf(join(root, folder)));
  return `Trackway contains these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** @param {string} folder of a package */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((path) => /^licen[cs]e(\.|-mit|$)/i.test(path));
  if (!file) throw new Error(`${name} ${version} (${license}) has no text of its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
