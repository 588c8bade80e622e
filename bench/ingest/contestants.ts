import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { mintIngestKey } from "../../server/auth/key.ts";
import { runSql } from "../../test/support/db/postgres.ts";
import { LISTENING, spawnServer } from "../../test/support/run/process.ts";
import { postAll } from "../support/post.ts";
import { SECRET } from "../support/secret.ts";
import { batches, singles } from "./rows.ts";

/** One load, and how much of it a round takes. */
export interface Load {
  name: string;
  /** Events in a request: 500 in a batch, or 1. */
  size: number;
  bytes: number;
  connections: number;
  requests: number;
}

/** Someone who stores events: takes the load, and says which process's CPU counts besides PostgreSQL's. */
export interface Contestant {
  pid: number;
  /** Its share of a load: the slow ones get less, to be done in the same time. */
  share: number;
  /** Makes the load ready; the result runs it and answers seconds. */
  prepare(load: Load): Promise<() => Promise<number>>;
  stop(): void;
}

/** Makes our tables, and those of the others like them. */
export async function prepareDatabase(url: string): Promise<void> {
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET });
  await server.printed(LISTENING);
  await server.stop();
  for (const table of ["usual_event", "bare_event", "limit_event"]) {
    await runSql(url, `create table ${table} (like recorded_event including all)`);
  }
  await runSql(url, "create table usual_session (like recorded_session including all)");
}

/** Trackway on its own, and a key for it. */
export async function ourPlace(url: string): Promise<{ url: string; key: string; pid: number; stop(): void }> {
  const off = { INGEST_RATE_REQUESTS: "off", INGEST_RATE_EVENTS: "off", LOG_LEVEL: "info" };
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET, ...off });
  const [, base = ""] = await server.printed(LISTENING);
  const key = await insertedKey(url);
  return { url: base, key, pid: Number(server.child.pid), stop: () => void server.stop() };
}

/** Trackway, and where it listens. */
export type OurServer = Contestant & { url: string };

/** Trackway, on its own. */
export async function ourServer(database: string): Promise<OurServer> {
  const { url, key, pid, stop } = await ourPlace(database);
  return { pid, url, share: 1, prepare: poster(url, { "x-api-key": key }), stop };
}

/** Another organization at the same server, which has redaction off. */
export async function withoutRedaction(database: string, { pid, url }: OurServer): Promise<Contestant> {
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

/** koa-body, zod and knex: the whole work, or the bare insert. */
export async function usualServer(url: string, work: "whole" | "bare"): Promise<Contestant> {
  const child = forked("usual.ts", url, { USUAL: work });
  const [{ url: base }] = (await once(child, "message")) as [{ url: string }];
  const headers = { "x-api-key": await insertedKey(url) };
  return { pid: Number(child.pid), share: 0.3, prepare: poster(base, headers), stop: () => child.kill() };
}

const poster =
  (base: string, headers: Record<string, string>): Contestant["prepare"] =>
  async ({ size, bytes, requests, connections }) => {
    const bodies = size === 1 ? singles(requests, bytes) : batches(requests, size, bytes);
    const path = size === 1 ? "capture-event" : "capture-events";
    return () => postAll(`${base}/api/v1/${path}`, bodies, connections, headers);
  };

/** COPY of rows encoded beforehand. */
export async function copier(url: string): Promise<Contestant> {
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
      // Single posts are measured against COPY in batches of 500 too: it is the limit of what a row can cost.
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
