import { execFileSync } from "node:child_process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { findFreePort, runSql } from "./postgres.ts";

/** URL of a Citus coordinator. The workers run on the same machine; `.ci/citus` starts all of them. */
export const citusUrl = process.env["TEST_CITUS_URL"];
const workers = (process.env["TEST_CITUS_WORKERS"] ?? "").split(",").filter(Boolean).map(Number);

export const citusWorkerUrls = workers.map((port) => addressOf(port, "postgres"));

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
  const url = new URL(String(citusUrl));
  url.port = String(port);
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates an empty database with Citus on every node and joins the nodes. @returns the URL on the coordinator */
export async function createCitusDatabase(name: string): Promise<string> {
  const coordinator = Number(new URL(String(citusUrl)).port);
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

/** Drops a database on every node. */
export async function dropCitusDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  for (const port of [Number(new URL(url).port), ...workers]) {
    await on(addressOf(port, "postgres"), [`drop database if exists ${name} with (force)`]);
  }
}

/** Returns the number of the node that stores an organization's rows. */
export async function readNode(url: string, organizationId: string): Promise<number> {
  const [row] = await runSql(
    url,
    `select groupid from pg_dist_placement where shardid = get_shard_id_for_distribution_column('issue', '${organizationId}')`,
  );
  return Number(row?.["groupid"]);
}

/**
 * Makes a node unreachable for one database; other tests use the same nodes. @returns a function that restores the
 * node
 */
export async function disconnectNode(url: string, node: number): Promise<() => Promise<void>> {
  const [found] = await runSql(url, `select nodeport as port from pg_dist_node where groupid = ${node}`);
  const move = async (port: unknown) => {
    await runSql(url, `update pg_dist_node set nodeport = ${port} where groupid = ${node}`);
  };
  await move(await findFreePort());
  return () => move(found?.["port"]);
}

/** Runs a program of server/admin on a database. @returns the output. @throws an error with `stderr` if it fails */
export const runAdminProgram = (name: "admin" | "backup" | "restore-file", url: string, ...args: string[]): string =>
  execFileSync(process.execPath, ["--import", "tsx/esm", `server/admin/${name}.ts`, ...args], {
    env: { ...process.env, DATABASE_URL: url, JWT_SECRET: "a secret of the tests, long enough to be one" },
    encoding: "utf8",
  });

/** Runs `npm run admin -- distribute`. @returns the output */
export const runDistribute = (url: string, ...args: string[]): string =>
  runAdminProgram("admin", url, "distribute", ...args);

/** Node behind a proxy that can fall silent: the proxy accepts connections and bytes, and never responds. */
export interface SilenceableNode {
  silence(): void;
  answer(): void;
  close(): Promise<void>;
}

/** Puts a proxy before a node for one database. Stopping the node's processes would affect every other test. */
export async function proxyNode(url: string, node: number): Promise<SilenceableNode> {
  const [found] = await runSql(url, `select nodeport as port from pg_dist_node where groupid = ${node}`);
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    const far = connect(Number(found?.["port"]), "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      if (silent) from.pause();
      from.on("data", (bytes) => to.write(bytes)).on("error", () => {});
      from.on("close", () => sockets.delete(from) && to.destroy());
    }
    if (silent) for (const each of [near, far]) each.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await runSql(url, `update pg_dist_node set nodeport = ${port} where groupid = ${node}`);
  return {
    silence() {
      silent = true;
      for (const each of sockets) each.pause();
    },
    answer() {
      silent = false;
      for (const each of sockets) each.resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const each of sockets) each.destroy();
      }),
  };
}
