const { readdirSync } = require("node:fs");
const { availableParallelism } = require("node:os");
const { basename, join } = require("node:path");

// Names of test files, wherever below test/ they are. A star stands for any letters.

/**
 * These take long: they load a server for minutes, count rows and plans at scale, build and start programs, or take a
 * browser through whole pages. TESTS=long runs them alone, TESTS=all with the others.
 */
const LONG = [
  ...[
    "scale",
    "scans",
    "*-plans",
    "*-rows",
    "work-per-point",
    "caches",
    "ingest-torture",
    "ingest-bounds",
    "health-writes",
    "search-judged",
    "mcp-tasks",
    "hostile",
    "security-throttle",
    "recorded-tool",
  ],
  ...[
    "build",
    "start",
    "npm-start",
    "readme",
    "doc-commands-operator",
    "packages",
    "whole-files",
    "control-backup",
    "backup-schedule",
    "restore-derived",
    "restore-deletions",
    "preflight",
    "kept-releases",
  ],
  ...["database-shares", "database-deadline", "database-embedded", "embedded-upkeep", "deletion-organization"],
  ...[
    "web-accessible",
    "web-timeline",
    "web-press",
    "web-hostile",
    "web-routes-all",
    "cli-connect-homes",
    "cli-import-hostile",
    "cli-examples",
    "cli-import-dry-run",
    "cli-run",
    "cli-run-many",
    "cli-shell",
    "blame",
  ],
  ...[
    "web-doors",
    "web-planning",
    "web-delete",
    "web-company",
    "web-compare",
    "web-settings-rules",
    "web-missed",
    "web-journeys",
    "web-round",
  ],
  ...["web-glance", "web-first-session", "graphiql", "control-browser", "control-admin", "oauth-signed-in"],
  ...["web-insight", "web-live", "web-rail", "web-project", "web-palette", "web-claimed", "web-everyday", "web-files"],
  ...["web-log", "web-issue-relations", "web-written", "cors", "mcp-supervisor"],
  ...["oauth-client-documents", "oauth-program", "oidc-attacks", "observe-projector", "deletion-markers"],
];
/** These have such a name and take little. */
const NOT_LONG = ["import-rows", "ingest-refused-rows"];

/**
 * The engine of the database makes no difference to these. Their subject is above it (pages, the command line, MCP,
 * protocols, documents, what is computed from texts alone), it is the embedded engine, or they start PostgreSQL
 * themselves. Everything else sends SQL that locks, is built from requests, or is met by several servers.
 */
const ONCE = [
  ...["web-*", "cli-*", "mcp-*", "otlp-*", "embedded-*", "database-embedded", "control-openapi", "control-input"],
  ...[
    "build",
    "readme",
    "doc-commands*",
    "start",
    "npm-start",
    "node-version",
    "package-name",
    "packages",
    "whole-files",
    "architecture",
    "own-properties",
  ],
  ...[
    "cors",
    "foreign-host",
    "hardening",
    "http-upgrade",
    "ssrf",
    "config",
    "graphiql",
    "served-pages",
    "security-slow",
  ],
  ...[
    "backup-schedule",
    "oauth-client-documents",
    "oauth-program",
    "oauth-attacks-*",
    "oauth-traps",
    "oauth-flow",
    "auth-cookie",
  ],
  ...["introspection", "schema-descriptions", "model-schema", "filter-schema", "graphql-audits", "linear-tour"],
  ...["answer-heads", "complexity", "concurrency", "fair-queue", "ingest-scan", "ingest-tuple", "ingest-body"],
  ...["ingest-fields", "ingest-fuzz", "event-kinds", "failure-messages", "relay-rules", "programs", "log-paths"],
  ...["observe-merge", "recorded-outline-text", "webhooks-schedule", "auth-token", "auth-claims", "points"],
];

/** Long ones that are run on PostgreSQL too: parts of them are about that engine. */
const LONG_ON_POSTGRES = [
  ...[
    "control-backup",
    "control-admin",
    "kept-releases",
    "restore-deletions",
    "preflight",
    "database-shares",
    "deletion-*",
  ],
  ...["recorded-tool", "ingest-bounds", "health-writes", "search-judged", "session-order-rows"],
];

/** These have jobs go through all that other tests left in the database: while there is little, they take a tenth. */
const BEFORE_OTHERS = [
  ...["actions", "deletion", "retention-rules", "ingest-retention", "notice-*", "team-trash"],
  ...["session-order", "session-issues", "derived"],
];

/** These take longest, as measured: they begin first, so that a run does not end with one of them alone. */
const FIRST = [
  ...["web-routes-all", "doc-commands-operator", "web-timeline", "web-press", "packages", "backup-schedule"],
  ...["web-*", "oauth-attacks-*", "selection-reference", "inputs-honoured", "graphql-fuzz", "ready"],
  ...["recorded-brief", "session-*", "failure-groups", "otlp-fixtures"],
  ...["observe-replay", "plan-shape", "issue-counts", "mcp-stdio", "mcp-error-words", "cli-*"],
];

const { TESTS = "short", TEST_DATABASE_URL, TEST_CITUS_URL } = process.env;
if (!["short", "long", "all"].includes(TESTS)) throw new Error(`TESTS takes short, long or all, not ${TESTS}`);

/** Tells whether a file has one of the names. */
const isOneOf = (names) => {
  const pattern = new RegExp(`^(${names.join("|").replaceAll("*", ".*")})\\.test\\.ts$`);
  return (path) => pattern.test(basename(path));
};
const [isLong, isNotLong, isLongOnPostgres] = [LONG, NOT_LONG, LONG_ON_POSTGRES].map(isOneOf);
const isOnce = isOneOf(ONCE);
const isBeforeOthers = isOneOf(BEFORE_OTHERS);
const first = FIRST.map((name) => isOneOf([name]));

/** Behind those that go before others come the files that take long, each kind with those of FIRST at its head. */
function place(path) {
  if (isBeforeOthers(path)) return -1;
  const at = first.findIndex((is) => is(path));
  const among = at < 0 ? first.length : at;
  return isLong(path) && !isNotLong(path) ? among : first.length + 1 + among;
}

/** The files of a run, in their order. */
function files() {
  const onPostgres = Boolean(TEST_DATABASE_URL ?? TEST_CITUS_URL);
  const all = readdirSync(join(__dirname, "test"), { recursive: true }).filter((path) => path.endsWith(".test.ts"));
  const chosen = all.filter((path) => {
    if (TESTS === "all") return true;
    if (onPostgres && (isOnce(path) || isLongOnPostgres(path))) return !isOnce(path);
    return (isLong(path) && !isNotLong(path)) === (TESTS === "long");
  });
  return chosen.sort((one, other) => place(one) - place(other)).map((path) => `test/${path}`);
}

/** Files that are named are run, whatever the lists say. */
const isNamed = process.argv.slice(2).some((word) => word.endsWith(".test.ts"));

module.exports = {
  spec: isNamed ? [] : files(),
  "node-option": [
    ...["enable-source-maps", "disable-warning=ExperimentalWarning"],
    // A process has the embedded engine work for minutes: to compile well what runs often pays there, and not while it opens.
    ...["no-liftoff-only", "wasm-tiering-budget=30000000"],
    // Most of what a test makes is garbage at once: a large young generation is collected less often.
    "max-semi-space-size=64",
  ],
  // A test that hangs is found as well after two minutes, and a slow machine that others share is no failure.
  timeout: 120_000,
  reporter: "test/support/run/reporter.cjs",
  require: ["test/support/run/compiled.mjs", "test/support/run/hooks.ts"],
  parallel: true,
  // Many tests wait, for processes to start, for pages and for clocks: one more at once than there are cores pays.
  jobs: availableParallelism() + 1,
};
