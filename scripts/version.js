// @ts-check
// `npm version NUMBER` runs this script, which copies the version from package.json to the other files.
import { readFileSync, writeFileSync } from "node:fs";

const MANIFEST = /(?<="version": ")[^"]+/g;

/** Every file with the version, except npm's own two, and the pattern of the version. */
export const VERSION_PLACES = {
  "server.json": MANIFEST,
  "scripts/pack/mcpb.json": MANIFEST,
  "plugins/trackway/gemini-extension.json": MANIFEST,
  "plugins/trackway/.claude-plugin/plugin.json": MANIFEST,
  "plugins/trackway/.codex-plugin/plugin.json": MANIFEST,
  "deploy/kubernetes/trackway.yaml": /(?<=\/trackway:)\d\S+/g,
};

/** Writes the version to each file, and gives the unreleased part of the changelog a heading. */
function writeVersion() {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const [path, place] of Object.entries(VERSION_PLACES))
    writeFileSync(path, readFileSync(path, "utf8").replace(place, version));
  const today = new Date().toISOString().slice(0, 10);
  const changelog = readFileSync("CHANGELOG.md", "utf8");
  writeFileSync("CHANGELOG.md", changelog.replace("## [Unreleased]\n", `$&\n## [${version}] - ${today}\n`));
}

if (process.env["npm_lifecycle_event"] === "version") writeVersion();
