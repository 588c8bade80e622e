// `npm run test:all` runs every test, with all runs of each property: once on PostgreSQL and, on the embedded engine, the
// core and what concerns that engine alone. `-- --beyond-core` leaves out the core on the embedded engine, for a caller
// that has run `npm test`. Uses the PostgreSQL of TEST_DATABASE_URL or TEST_CITUS_URL, else starts an installed one; without either,
// everything runs on the embedded engine, and the last lines say what was left out.
import { argv, env, exit } from "node:process";
import { type Cluster, findPrograms, ownCluster } from "../test/support/db/postgres.ts";
import { hasBrowser } from "../test/support/web/browser.ts";
import { runWithSecondTry } from "./test-again.js";

const { TEST_DATABASE_URL, TEST_CITUS_URL, ...rest } = env;
/** 300 connections serve the servers of all test processes. Durability tests start a PostgreSQL of their own. */
const CLUSTER_OPTIONS = "-c max_connections=300 -c fsync=off";

const hasOne = TEST_DATABASE_URL !== undefined || TEST_CITUS_URL !== undefined;
const cluster: Cluster | undefined = !hasOne && findPrograms() ? await ownCluster(CLUSTER_OPTIONS) : undefined;
const postgres = cluster ? { TEST_DATABASE_URL: cluster.url } : { TEST_DATABASE_URL, TEST_CITUS_URL };
const afterCore = argv.includes("--beyond-core");

/** Runs the test files of one `TEST_RUN`. */
function run(title: string, run: string, more: NodeJS.ProcessEnv = {}): boolean {
  console.log(`\n== ${title}`);
  return runWithSecondTry(["npx", "mocha"], { ...rest, FC_RUNS: env["FC_RUNS"] ?? "100", TEST_RUN: run, ...more });
}

let passed: boolean;
try {
  passed =
    !hasOne && !cluster
      ? run("all tests, on the embedded engine", "everything")
      : run("all tests but those of the embedded engine, on PostgreSQL", "postgres", postgres) &&
        (afterCore || run("the core, on the embedded engine", "core", { FC_RUNS: "10" })) &&
        run("the tests of the embedded engine", "embedded");
} finally {
  cluster?.remove();
}
if (!hasOne && !cluster)
  console.log("\nLEFT OUT: the tests of PostgreSQL, because none is installed and TEST_DATABASE_URL is not set");
if (!hasBrowser()) console.log("\nLEFT OUT: the tests of pages, because Chromium is not installed");
exit(passed ? 0 : 1);
