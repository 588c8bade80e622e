// `npm run test:all` runs every test, with the full number of runs of each property: on PostgreSQL, and on the
// embedded engine the core and the tests of that engine. `-- --beyond-core` skips the core on the embedded engine,
// for a caller that has already run `npm test`. Uses the PostgreSQL of TEST_DATABASE_URL or TEST_CITUS_URL, or
// starts an installed PostgreSQL. Without either, every test runs on the embedded engine, and the last lines list
// the skipped tests.
import { resolve } from "node:path";
import { argv, env, exit } from "node:process";
import { findPostgresPrograms, type PostgresCluster, startOwnCluster } from "../test/support/db/postgres.ts";
import { hasBrowser } from "../test/support/web/browser.ts";
import { beginCollection, endCollection, isCollected, statementsFolder } from "./statements.ts";
import { runWithSecondTry } from "./test-again.js";

const { TEST_DATABASE_URL, TEST_CITUS_URL, ...rest } = env;
/** The servers of all test processes share 300 connections. Durability tests start a separate PostgreSQL. */
const CLUSTER_OPTIONS = "-c max_connections=300 -c fsync=off";

const hasOne = TEST_DATABASE_URL !== undefined || TEST_CITUS_URL !== undefined;
const cluster: PostgresCluster | undefined =
  !hasOne && findPostgresPrograms() ? await startOwnCluster(CLUSTER_OPTIONS) : undefined;
const isPlain = TEST_CITUS_URL === undefined && (cluster !== undefined || TEST_DATABASE_URL !== undefined);
// A run on PostgreSQL writes the statements of the tests. A run on Citus executes these statements.
const statements = statementsFolder();
const lacksStatements = TEST_CITUS_URL !== undefined && !isCollected(statements);
const postgres = {
  ...(cluster ? { TEST_DATABASE_URL: cluster.url } : { TEST_DATABASE_URL, TEST_CITUS_URL }),
  ...(!lacksStatements && { TEST_STATEMENTS: resolve(statements) }),
};
const afterCore = argv.includes("--beyond-core");

/** Runs the test files of one `TEST_RUN`. */
function run(title: string, run: string, more: NodeJS.ProcessEnv = {}): Promise<boolean> {
  console.log(`\n== ${title}`);
  return runWithSecondTry(["npx", "mocha"], { ...rest, FC_RUNS: env["FC_RUNS"] ?? "100", TEST_RUN: run, ...more });
}

function noteCollected(): true {
  if (isPlain) endCollection(statements);
  return true;
}

let passed: boolean;
try {
  if (isPlain) beginCollection(statements);
  passed =
    !hasOne && !cluster
      ? await run("all tests, on the embedded engine", "everything")
      : (await run("all tests but those of the embedded engine, on PostgreSQL", "postgres", postgres)) &&
        noteCollected() &&
        (afterCore || (await run("the core, on the embedded engine", "core", { FC_RUNS: "10" }))) &&
        (await run("the tests of the embedded engine", "embedded"));
} finally {
  cluster?.remove();
}
if (!hasOne && !cluster)
  console.log("\nLEFT OUT: the tests of PostgreSQL, because none is installed and TEST_DATABASE_URL is not set");
if (lacksStatements)
  console.log(
    "\nLEFT OUT: the statements that the tests send; npm run test:citus collects them and runs them on Citus",
  );
if (!hasBrowser()) console.log("\nLEFT OUT: the tests of pages, because Chromium is not installed");
exit(passed ? 0 : 1);
