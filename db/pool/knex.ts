import knexFactory, { type Knex } from "knex";
import type { ClientBase } from "pg";

/** Where knex gets its connections. */
export interface Connections<Client extends ClientBase> {
  acquire(): Promise<Client>;
  release(client: Client): void;
}

/** Watches over a query that runs. */
type Watch = <T>(client: ClientBase, running: Promise<T>) => Promise<T>;

const ignore = () => {};

/** knex without a pool of its own: connections come from here, and go back. */
export function createKnex<Client extends ClientBase>(
  { acquire, release }: Connections<Client>,
  watch: Watch = (_client, running) => running,
): Knex {
  const log = { warn: ignore, error: ignore, debug: ignore, deprecate: ignore };
  const knex = knexFactory({ client: "pg", version: "15", compileSqlOnError: false, log });
  const { client } = knex;
  const { query } = client;
  client.acquireConnection = acquire;
  client.releaseConnection = async (acquired: Client) => release(acquired);
  client.query = (acquired: ClientBase, statement: unknown) => watch(acquired, query.call(client, acquired, statement));
  return knex;
}
