// @ts-check
// `npm run pack:cli -- FOLDER`, `pack:server` and `pack:mcpb` write the packages that users install. The same sources
// always give the same bytes.
import "../node-version.js";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "../build.js";
import { packBundle } from "./mcpb.js";
import { packCommandLine, packServer } from "./packages.js";

/** @type {Record<string, (target: string) => Promise<string>>} */
const PACKS = { cli: packCommandLine, server: packServer, mcpb: packBundle };

const [name = "", folder] = process.argv.slice(2);
const pack = PACKS[name];
if (!pack || folder === undefined) {
  process.stderr.write(
    `npm run pack:${pack ? name : "NAME"} -- FOLDER, where NAME is ${Object.keys(PACKS).join(", ")}\n`,
  );
  process.exitCode = 2;
} else {
  const target = resolve(folder);
  mkdirSync(target, { recursive: true });
  await build();
  process.stdout.write(`${await pack(target)}\n`);
}
