import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { ClientBase } from "pg";
import { createKnex } from "../builder.ts";
import { CannotOpen } from "../errors/cannot-open.ts";
import { accounts } from "./0101-accounts.ts";
import { tracker } from "./0102-tracker.ts";
import { issues } from "./0103-issues.ts";
import { recording } from "./0105-recording.ts";
import { analytics } from "./0106-analytics.ts";
import { integrations } from "./0110-integrations.ts";
import { provedAddresses } from "./0114-proved-addresses.ts";
import { deliveries } from "./0115-deliveries.ts";
import type { Migration } from "./columns.ts";

export type { Migration };

/** Every migration, oldest first. The list only grows: a database refuses a build that changed one it has. */
export const migrations: readonly Migration[] = [
  accounts,
  tracker,
  issues,
  recording,
  analytics,
  integrations,
  provedAddresses,
  deliveries,
];

/** The name that a database records a migration under. It ends in a digest: a file that was changed is another migration. */
export function nameOf({ id, statements }: Migration): string {
  const text = statements.map((statement) => statement.replaceAll(/\s+/g, " ")).join(";");
  return `${id}-${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

const orderOf = (name: string): string => name.slice(0, 4);

/** Tells whether a migration, by its recorded name, comes after all of this release. */
export const isNewer = (name: string): boolean => migrations.every(({ id }) => orderOf(id) < orderOf(name));

/** The release before runs beside the new one, so migrations after all of this build are no reason to refuse; others are. */
const isForeign = (name: string): boolean => !migrations.some((each) => nameOf(each) === name) && !isNewer(name);

/** The reason why a database with these recorded migrations is not this build's; undefined where it is. */
export const refusal = (recorded: readonly string[]): string | undefined =>
  recorded.some(isForeign)
    ? "the database is of an unreleased build: npm run backup -- FILE with that build, " +
      "then npm run restore -- FILE with this one, into an empty DATA_DIR or database"
    : undefined;

/** The advisory lock. Any constant will do, as long as it never changes: "trackway" in ASCII, cut to what fits a bigint. */
export const LOCK = "8390880602276094329";
const ASK_AGAIN_MS = 50;

/**
 * Brings the schema up to date with knex's migrator. One process at a time: the others wait for an advisory lock, which
 * goes with the connection, so that a killed process holds nothing. A migration is recorded after its last
 * statement and each statement may run again, so the next start repeats a migration that a kill interrupted.
 * @param client a connection of its own, to PostgreSQL itself
 * @throws CannotOpen for a database of an unreleased build
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
  const [done, pending]: [{ name: string }[], unknown[]] = await migrator.list(config);
  const reason = refusal(done.map(({ name }) => name));
  if (reason) throw new CannotOpen(reason);
  if (pending.length === 0) return;
  // knex's own lock is a row, which a killed process leaves locked. Under the advisory lock nobody else can hold it.
  await migrator.forceFreeMigrationsLock(config);
  await migrator.latest(config);
}

/** knex over one connection, which it neither opens nor ends: its migrator runs there. */
function knexOver(connection: ClientBase): Knex {
  const knex = createKnex();
  knex.client.acquireConnection = async () => connection;
  knex.client.releaseConnection = async () => {};
  return knex;
}

const configOver = (client: ClientBase): Knex.MigratorConfig => ({
  migrationSource: sourceOver(client),
  // Statements commit one by one: in one transaction a migration would hold all its locks to its end.
  disableTransactions: true,
  // `refusal` names the cure.
  disableMigrationsListValidation: true,
});

/** Statements go to the driver as they are: `knex.raw` would take a question mark for a parameter. */
const sourceOver = (client: ClientBase): Knex.MigrationSource<Migration> => ({
  getMigrations: async () => [...migrations],
  getMigrationName: nameOf,
  getMigration: async ({ statements }) => ({
    async up() {
      for (const statement of statements) await client.query(statement);
    },
    async down() {
      throw new Error("migrations go forward only: restore a backup instead");
    },
  }),
});
