import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { ClientBase } from "pg";
import { type Migration, type MigrationStep, migrations } from "./index.ts";
import { knexOver } from "./knex.ts";

/** Any constant will do, as long as it never changes: "trackway" in ASCII, cut to what fits a bigint. */
const LOCK = "8390880602276094329";
const ASK_AGAIN_MS = 50;

/**
 * Brings the schema up to date with knex's migrator. One process at a time, whoever else starts waits for an advisory
 * lock, which goes with the connection: a killed process holds nothing. A migration is recorded after its last
 * statement and each statement may run again, so the next start repeats a migration that a kill interrupted.
 * @param client a connection of its own, to PostgreSQL itself
 */
export async function migrate(client: ClientBase): Promise<void> {
  while (!(await locked(client))) await sleep(ASK_AGAIN_MS);
  try {
    await runMigrator(client);
  } finally {
    await client.query(`select pg_advisory_unlock(${LOCK})`).catch(() => {});
  }
}

/** It asks instead of waiting: an index that is built beside writers waits for every statement that runs, so for that too. */
async function locked(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK}) as locked`);
  return rows[0]?.locked === true;
}

async function runMigrator(client: ClientBase): Promise<void> {
  const { migrate: migrator } = knexOver(client);
  const config = configOver(client);
  const pending = async () => (await migrator.list(config))[1].length;
  let left = await pending();
  if (left === migrations.length) {
    await adoptOldList(client);
    left = await pending();
  }
  if (left === 0) return;
  // knex's own lock is a row, which a killed process leaves locked. Under the advisory lock nobody else can hold it.
  await migrator.forceFreeMigrationsLock(config);
  await migrator.latest(config);
}

const configOver = (client: ClientBase): Knex.MigratorConfig => ({
  migrationSource: sourceOver(client),
  // Statements commit one by one: in one transaction a migration would hold all its locks to its end.
  disableTransactions: true,
  // An older release starts on the database of a newer one, so that an upgrade can be taken back.
  disableMigrationsListValidation: true,
});

/** Statements go to the driver as they are: `knex.raw` would take a question mark for a parameter. */
const sourceOver = (client: ClientBase): Knex.MigrationSource<Migration> => ({
  getMigrations: async () => [...migrations],
  getMigrationName: ({ id }) => id,
  getMigration: async ({ statements }) => ({
    async up() {
      for (const step of statements) await run(client, step);
    },
    async down() {
      throw new Error("migrations go forward only: restore a backup instead");
    },
  }),
});

async function run(client: ClientBase, step: MigrationStep): Promise<void> {
  if (typeof step === "string") await client.query(step);
  else while (((await client.query(step.untilNone)).rowCount ?? 0) > 0);
}

/**
 * Takes over what release 0.1.0 recorded in a table of its own. That table stays, so that servers of 0.1.0, which
 * write to it to see whether the database takes writes, run on beside this one until they are replaced.
 */
async function adoptOldList(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ old: string | null }>("select to_regclass('migration') as old");
  if (!rows[0]?.old) return;
  await client.query(
    "insert into knex_migrations (name, batch, migration_time) select id, 1, at from migration order by id",
  );
}
