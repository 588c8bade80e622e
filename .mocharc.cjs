const { availableParallelism } = require("node:os");

// Pages, the command line and what is built are the same whatever the database, and what starts processes over a folder of
// their own or tests the embedded engine has that anyway: the run on PostgreSQL leaves them to the run on the embedded
// engine. TEST_ALL=on tests them there too.
const ONCE = [
  "web-*",
  "cli-*",
  "build",
  "mcp-bundle",
  "package-name",
  "readme",
  "node-version",
  "relay-rules",
  "cors",
  "otlp-decode",
  "start",
  "npm-start",
  "whole-files",
  "mcp-supervisor",
  "embedded-*",
  "database-embedded",
];
const shared = process.env["TEST_DATABASE_URL"] ?? process.env["TEST_CITUS_URL"];
const onPostgres = shared && process.env["TEST_ALL"] !== "on";

module.exports = {
  ignore: onPostgres ? ONCE.map((name) => `test/${name}.test.ts`) : [],
  "node-option": ["import=tsx/esm"],
  timeout: 120_000,
  require: ["test/support/hooks.ts"],
  parallel: true,
  // Many tests wait, for processes to start, for pages and for clocks: one more at once than there are cores pays.
  jobs: availableParallelism() + 1,
};
