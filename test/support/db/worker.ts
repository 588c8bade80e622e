import pg from "pg";
import { citusUrl, createCitusDatabase, runDistribute } from "./citus.ts";

// Several processes run test files concurrently, and some tests lock whole tables. Each process therefore uses a
// database of its own beside the database of TEST_DATABASE_URL. The hooks load this module before any test file.

/** Mocha's number of this process; undefined without parallel processes. */
export const workerId = process.env["MOCHA_WORKER_ID"];

if (citusUrl) process.env["TEST_DATABASE_URL"] = new URL("/test", citusUrl).href;
const shared = process.env["TEST_DATABASE_URL"];
const own = shared && workerId ? new URL(shared) : undefined;
if (own) {
  own.pathname += `_${workerId}`;
  process.env["TEST_DATABASE_URL"] = own.href;
}

let made = false;

/** Creates the database of this process, once. A database that an earlier run left may be of another build. */
export async function createWorkerDatabase(): Promise<void> {
  if (made || !(citusUrl || own)) return;
  made = true;
  if (citusUrl) {
    runDistribute(await createCitusDatabase((own ?? new URL(String(shared))).pathname.slice(1)), "--apply");
    return;
  }
  const client = new pg.Client(shared);
  await client.connect();
  const name = client.escapeIdentifier(String(own?.pathname.slice(1)));
  await client.query(`drop database if exists ${name} with (force)`);
  await client.query(`create database ${name}`);
  await client.end();
}
