import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { mintIngestKey } from "../../server/auth/key.ts";
import { runSql } from "../../test/support/db/postgres.ts";
import { LISTENING_LINE, spawnServer } from "../../test/support/run/process.ts";
import { postAll } from "../support/post.ts";
import { SECRET } from "../support/secret.ts";
import { buildBatches, buildSingles } from "./rows.ts";

export interface Load {
  name: string;
  /** Events per request: 500 in a batch, or 1. */
  size: number;
  bytes: number;
  connections: number;
  requests: number;
}

/** A program that stores events. `pid` is the process whose CPU counts besides PostgreSQL's. */
export interface Contestant {
  pid: number;
  /** The contestant's share of a load. Slow contestants get less, so that all runs take about the same time. */
  share: number;
  /** Prepares a load. The returned function runs the load and resolves to seconds. */
  prepare(load: Load): Promise<() => Promise<number>>;
  stop(): void;
}

/** Creates Trackway's tables, and equal tables for the other contestants. */
export async function prepareDatabase(url: string): Promise<void> {
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET });
  await server.printed(LISTENING_LINE);
  await server.stop();
  for (const table of ["usual_event", "bare_event", "limit_event"]) {
    await runSql(url, `create table ${table} (like recorded_event including all)`);
  }
  await runSql(url, "create table usual_session (like recorded_session including all)");
}

/** Starts a separate Trackway server, and creates an ingest key. */
export async function startOwnServer(url: string): Promise<{ url: string; key: string; pid: number; stop(): void }> {
  const off = { INGEST_RATE_REQUESTS: "off", INGEST_RATE_EVENTS: "off", LOG_LEVEL: "info" };
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET, ...off });
  const [, base = ""] = await server.printed(LISTENING_LINE);
  const key = await insertedKey(url);
  return { url: base, key, pid: Number(server.child.pid), stop: () => void server.stop() };
}

export type OwnServer = Contestant & { url: string };

export async function startOwnContestant(database: string): Promise<OwnServer> {
  const { url, key, pid, stop } = await startOwnServer(database);
  return { pid, url, share: 1, prepare: poster(url, { "x-api-key": key }), stop };
}

/** Creates another organization on the same server, with redaction off. */
export async function createUnredactedContestant(database: string, { pid, url }: OwnServer): Promise<Contestant> {
  const key = await insertedKey(database, false);
  return { pid, share: 1, prepare: poster(url, { "x-api-key": key }), stop: () => {} };
}

async function insertedKey(url: string, redaction = true): Promise<string> {
  const { key, hash, last4 } = mintIngestKey();
  const organizationId = uuidv7();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `insert into organization (id, name, "urlKey", "createdAt", "updatedAt", "redactionEnabled")
     values ($1::uuid, 'bench', $1::text, now(), now(), $2)`,
    [organizationId, redaction],
  );
  await client.query(
    `insert into "ingestKey" (hash, id, "organizationId", name, prefix, last4, "createdAt")
     values ($1, $2, $3, 'bench', 'sk_', $4, now())`,
    [hash, uuidv7(), organizationId, last4],
  );
  await client.end();
  return key;
}

/** Starts the usual stack (koa-body, zod and knex), with the whole work or only the insert. */
export async function startUsualStack(url: string, work: "whole" | "bare"): Promise<Contestant> {
  const child = forked("usual.ts", url, { USUAL: work });
  const [{ url: base }] = (await once(child, "message")) as [{ url: string }];
  const headers = { "x-api-key": await insertedKey(url) };
  return { pid: Number(child.pid), share: 0.3, prepare: poster(base, headers), stop: () => child.kill() };
}

const poster =
  (base: string, headers: Record<string, string>): Contestant["prepare"] =>
  async ({ size, bytes, requests, connections }) => {
    const bodies = size === 1 ? buildSingles(requests, bytes) : buildBatches(requests, size, bytes);
    const path = size === 1 ? "capture-event" : "capture-events";
    return () => postAll(`${base}/api/v1/${path}`, bodies, connections, headers);
  };

/** Starts a process that runs COPY of rows encoded in advance. */
export async function startCopyProcess(url: string): Promise<Contestant> {
  const child = forked("limit.ts", url);
  await once(child, "message");
  const ask = (order: object) => {
    child.send(order);
    return once(child, "message");
  };
  return {
    pid: Number(child.pid),
    share: 1,
    async prepare({ size, bytes, requests }) {
      // Single posts are also compared with COPY in batches of 500, the lower limit of a row's cost.
      await ask({ prepare: Math.max(1, Math.round((requests * size) / 500)), size: 500, bytes });
      return async () => {
        const begun = performance.now();
        await ask({});
        return (performance.now() - begun) / 1000;
      };
    },
    stop: () => child.kill(),
  };
}

const forked = (file: string, url: string, env: Record<string, string> = {}): ChildProcess =>
  fork(join(import.meta.dirname, file), {
    env: { ...process.env, DATABASE_URL: url, ...env },
    execArgv: ["--import", "tsx/esm"],
  });
