// `npm run test:citus` runs the tests of Citus: every statement that the tests send, the tests of Citus itself, and
// the tests of each feature. Uses the nodes of TEST_CITUS_URL and TEST_CITUS_WORKERS, or has .ci/citus start and stop
// nodes. Exits with code 3 when Citus is not installed and its source is missing. The statements come from the last
// `npm run test:all` on PostgreSQL if the code is unchanged. Otherwise the core tests first collect the statements on
// a plain database of these nodes.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { env, execPath, exit } from "node:process";
import { dropCitusDatabase } from "../test/support/db/citus.ts";
import { runSql } from "../test/support/db/postgres.ts";
import { beginCollection, endCollection, isCollected, statementsFolder } from "./statements.ts";

/** Tests that together use every feature. */
const FEATURES = [
  "test/admin/admin-delete.slow.test.ts",
  "test/admin/admin-distribute.slow.test.ts",
  "test/auth/auth-refresh.test.ts",
  "test/auth/oidc-sign-in.test.ts",
  "test/auth/stored-secrets.test.ts",
  "test/control/control-webhooks.test.ts",
  "test/db/two-servers.test.ts",
  "test/http/metrics.test.ts",
  "test/ingest/ingest-keys.test.ts",
  "test/ingest/ingest-repeats.test.ts",
  "test/jobs/derived.slow.test.ts",
  "test/jobs/every-job.slow.test.ts",
  "test/notices/notice-rules.test.ts",
  "test/observe/observe-copy.test.ts",
  "test/observe/otlp/otlp-unknown.test.ts",
  "test/tracker/organization-renamed.test.ts",
  "test/work/lease-limits.test.ts",
];
const SELF = [execPath, "--import", "tsx/esm", "scripts/test-citus.ts"];

const { TEST_CITUS_URL: url, TEST_CITUS_WORKERS: workers, ...rest } = env;
let stopped: NodeJS.Signals | undefined;
let stop = (): unknown => undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    stopped = signal;
    stop();
  });

/**
 * Runs a command in a separate process group, so that a signal to this process ends the whole group.
 * @returns its exit code
 */
function run([program = "", ...args]: readonly string[], more: NodeJS.ProcessEnv): Promise<number> {
  if (stopped) return Promise.resolve(1);
  const child = spawn(program, args, { env: more, stdio: ["ignore", "inherit", "inherit"], detached: true });
  stop = () => child.pid && process.kill(-child.pid, "SIGTERM");
  return new Promise((done) => {
    child.once("close", (code) => {
      stop = () => undefined;
      done(code ?? 1);
    });
  });
}

/**
 * Runs test files on the nodes. Two files at a time, because the three nodes need the processors too: a node that does
 * not respond to a check within 2 s counts as away.
 */
const runTests = (more: NodeJS.ProcessEnv, files: readonly string[]) =>
  run([execPath, "scripts/test-again.js", "npx", "mocha", "--jobs", "2", ...files], { ...rest, ...more });

/**
 * Collects the statements that the core tests send to a plain database of the nodes. Ignores whether the tests pass.
 */
async function collect(coordinator: string, folder: string): Promise<void> {
  console.log("\n== the core tests, on PostgreSQL: their statements are collected");
  beginCollection(folder);
  const plain = new URL("/statements", coordinator).href;
  await runSql(coordinator, "drop database if exists statements with (force)");
  await runSql(coordinator, "create database statements");
  const more = { TEST_RUN: "core", TEST_DATABASE_URL: plain, TEST_STATEMENTS: resolve(folder) };
  await run(["npx", "mocha", "--reporter", "dot"], { ...rest, ...more });
  if (!stopped) endCollection(folder);
}

async function testOn(coordinator: string): Promise<boolean> {
  const folder = statementsFolder();
  if (!isCollected(folder)) await collect(coordinator, folder);
  console.log("\n== the tests of Citus");
  const own = readdirSync("test/db").filter((name) => name.startsWith("citus-"));
  const files = [...own.map((name) => `test/db/${name}`), ...FEATURES];
  const more = { TEST_CITUS_URL: url, TEST_CITUS_WORKERS: workers, TEST_STATEMENTS: resolve(folder) };
  return (await runTests(more, files)) === 0;
}

/** Drops the databases that the processes of a run created on the nodes. */
async function dropDatabases(coordinator: string): Promise<void> {
  const text =
    "select datname as name from pg_database where datname ~ '^(test|statements)(_[0-9a-f]+)?$|^[a-z]+_[0-9a-f]{8}$'";
  for (const { name } of await runSql(coordinator, text))
    await dropCitusDatabase(new URL(`/${name}`, coordinator).href);
}

if (!url || !workers) exit(await run(["bash", ".ci/citus", "--", ...SELF], rest));
let passed = false;
try {
  passed = await testOn(url);
} finally {
  await dropDatabases(url);
}
exit(passed ? 0 : 1);
