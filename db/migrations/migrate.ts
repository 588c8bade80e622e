import type { ClientBase } from "pg";
import { migrations } from "./index.ts";

/** Any constant will do, as long as it never changes: "trackway" in ASCII, cut to what fits a bigint. */
const LOCK = "8390880602276094329";

/**
 * Brings the schema up to date. One process at a time, whoever else starts waits for the lock; the lock goes with
 * the connection, so a killed process holds nothing. A migration is recorded after its last statement, and every
 * statement may run again, so a kill in the middle needs no hand.
 * @param client a connection of its own, to PostgreSQL itself
 */
export async function migrate(client: ClientBase): Promise<void> {
  await client.query(`select pg_advisory_lock(${LOCK})`);
  try {
    await client.query("create table if not exists migration (id text primary key, at timestamptz(3) not null)");
    const { rows } = await client.query<{ id: string }>("select id from migration");
    const done = new Set(rows.map((row) => row.id));
    for (const migration of migrations.filter(({ id }) => !done.has(id))) {
      for (const statement of migration.statements) await client.query(statement);
      await client.query("insert into migration values ($1, $2) on conflict do nothing", [migration.id, new Date()]);
    }
  } finally {
    await client.query(`select pg_advisory_unlock(${LOCK})`).catch(() => {});
  }
}
