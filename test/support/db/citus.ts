import { execFileSync } from "node:child_process";
import pg from "pg";
import { freePort, runSql } from "./postgres.ts";

/** The coordinator of a Citus, and the ports of its workers on the same machine, as `.ci/citus` starts them. */
export const citus = process.env["TEST_CITUS_URL"];
const workers = (process.env["TEST_CITUS_WORKERS"] ?? "").split(",").filter(Boolean).map(Number);

/** The addresses of the workers. */
export const citusWorkers = workers.map((port) => addressOf(port, "postgres"));

async function on(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function addressOf(port: number, database: string): string {
  const url = new URL(String(citus));
  url.port = String(port);
  url.pathname = `/${database}`;
  return url.href;
}

/** Makes a database anew on every node, each with Citus, and joins them. @returns its URL on the coordinator */
export async function citusDatabase(name: string): Promise<string> {
  const coordinator = Number(new URL(String(citus)).port);
  const nodes = [coordinator, ...workers];
  for (const port of nodes) {
    await on(addressOf(port, "postgres"), [`drop database if exists ${name} with (force)`, `create database ${name}`]);
  }
  for (const port of nodes) await on(addressOf(port, name), ["create extension citus"]);
  const url = addressOf(coordinator, name);
  await on(url, [
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator})`,
    ...workers.map((port) => `select citus_add_node('127.0.0.1', ${port})`),
    `alter database ${name} set citus.shard_count = 8`,
  ]);
  return url;
}

/** Removes a database from every node. */
export async function dropCitusDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const port of [Number(new URL(url).port), ...workers]) {
    await on(addressOf(port, "postgres"), [`drop database if exists ${name} with (force)`]);
  }
}

/** The number of the node that an organization's rows lie on. */
export async function nodeOf(url: string, organizationId: string): Promise<number> {
  const [row] = await runSql(
    url,
    `select groupid from pg_dist_placement where shardid = get_shard_id_for_distribution_column('issue', '${organizationId}')`,
  );
  return Number(row?.["groupid"]);
}

/** Has a node be away, for one database alone: other tests use the same nodes. @returns what brings it back */
export async function takeAway(url: string, node: number): Promise<() => Promise<void>> {
  const [found] = await runSql(url, `select nodeport as port from pg_dist_node where groupid = ${node}`);
  const move = async (port: unknown) => {
    await runSql(url, `update pg_dist_node set nodeport = ${port} where groupid = ${node}`);
  };
  await move(await freePort());
  return () => move(found?.["port"]);
}

/** Runs `npm run admin -- distribute`. @returns what it printed */
export const distribute = (url: string, ...args: string[]): string =>
  execFileSync(process.execPath, ["--import", "tsx/esm", "server/admin/admin.ts", "distribute", ...args], {
    env: { ...process.env, DATABASE_URL: url, JWT_SECRET: "a secret of the tests, long enough to be one" },
    encoding: "utf8",
  });
