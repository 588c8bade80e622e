// @ts-check
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { bundle, ROOT } from "./bundle.js";

/** The date of every file in the bundle: the earliest date that a ZIP archive can store in every time zone. */
const MTIME = new Date(1980, 0, 2);

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
/** @param {unknown} value */
const json = (value) => Buffer.from(JSON.stringify(value, null, 2));

/**
 * Packs the stdio server and its dependencies into one .mcpb file, which desktop clients install with a click.
 * @param {string} target folder
 * @returns {Promise<string>} the path of the bundle
 */
export async function packBundle(target) {
  const { name, version, license } = readJson("package.json");
  const programs = Object.entries(await bundle(["mcp/main.ts"])).map(([path, content]) => [
    `server/${path}`,
    Buffer.from(content),
  ]);
  const files = {
    "manifest.json": json({ ...readJson("scripts/pack/mcpb.json"), version }),
    "package.json": json({ name, version, license, type: "module" }),
    LICENSE: readFileSync(join(ROOT, "LICENSE")),
    ...Object.fromEntries(programs),
  };
  const path = join(target, `trackway-${version}.mcpb`);
  writeFileSync(path, zipSync(files, { mtime: MTIME }));
  return path;
}
