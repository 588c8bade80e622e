// @ts-check
// `npm version NUMBER` runs this: package.json has the version, and each other place gets it from there.
import { readFileSync, writeFileSync } from "node:fs";

const MANIFEST = /(?<="version": ")[^"]+/g;

/** Every file that has the version besides npm's own two, and where in it. */
export const PLACES = {
  "server.json": MANIFEST,
  "scripts/pack/mcpb.json": MANIFEST,
  "plugins/trackway/gemini-extension.json": MANIFEST,
  "plugins/trackway/.claude-plugin/plugin.json": MANIFEST,
  "plugins/trackway/.codex-plugin/plugin.json": MANIFEST,
  "deploy/kubernetes/trackway.yaml": /(?<=\/trackway:)\d\S+/g,
};

/** Writes the version to each place, and gives the unreleased part of the changelog its heading. */
function writeVersion() {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const [path, place] of Object.entries(PLACES))
    writeFileSync(path, readFileSync(path, "utf8").replace(place, version));
  const today = new Date().toISOString().slice(0, 10);
  const changelog = readFileSync("CHANGELOG.md", "utf8");
  writeFileSync("CHANGELOG.md", changelog.replace("## [Unreleased]\n", `$&\n## [${version}] - ${today}\n`));
}

if (process.env["npm_lifecycle_event"] === "version") writeVersion();
