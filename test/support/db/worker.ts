import pg from "pg";
import { citus, citusDatabase, distribute } from "./citus.ts";

// Several processes run test files at once, and some tests lock whole tables: each process takes a database of its own
// beside the one of TEST_DATABASE_URL. The hooks load this before any test file.

/** Mocha's number of this process; undefined when there is but one. */
export const worker = process.env["MOCHA_WORKER_ID"];

if (citus) process.env["TEST_DATABASE_URL"] = new URL("/test", citus).href;
const shared = process.env["TEST_DATABASE_URL"];
const own = shared && worker ? new URL(shared) : undefined;
if (own) {
  own.pathname += `_${worker}`;
  process.env["TEST_DATABASE_URL"] = own.href;
}

let made = false;

/** Makes the database of this process anew, once: one that an earlier run left may be of another build. */
export async function makeDatabase(): Promise<void> {
  if (made || !(citus || own)) return;
  made = true;
  if (citus) {
    distribute(await citusDatabase((own ?? new URL(String(shared))).pathname.slice(1)), "--apply");
    return;
  }
  const client = new pg.Client(shared);
  await client.connect();
  const name = client.escapeIdentifier(String(own?.pathname.slice(1)));
  await client.query(`drop database if exists ${name} with (force)`);
  await client.query(`create database ${name}`);
  await client.end();
}
