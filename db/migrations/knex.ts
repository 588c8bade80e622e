import type { Knex } from "knex";
import type { ClientBase } from "pg";
import { createKnex } from "../builder.ts";

/** knex over one connection, which it neither opens nor ends: its migrator runs there. */
export function knexOver(connection: ClientBase): Knex {
  const knex = createKnex();
  knex.client.acquireConnection = async () => connection;
  knex.client.releaseConnection = async () => {};
  return knex;
}
