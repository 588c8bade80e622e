import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { ClientBase } from "pg";
import { createKnex } from "../builder.ts";
import { DatabaseOpenError } from "../errors/cannot-open.ts";
import { accounts } from "./0101-accounts.ts";
import { tracker } from "./0102-tracker.ts";
import { issues } from "./0103-issues.ts";
import { recording } from "./0105-recording.ts";
import { analytics } from "./0106-analytics.ts";
import { integrations } from "./0110-integrations.ts";
import { provedAddresses } from "./0114-proved-addresses.ts";
import { deliveries } from "./0115-deliveries.ts";
import { deletedOrganizations } from "./0116-deleted-organizations.ts";
import type { Migration } from "./columns.ts";

export type { Migration };

/**
 * All migrations, oldest first. Released migrations never change: a database refuses a build with a changed migration.
 */
export const migrations: readonly Migration[] = [
  accounts,
  tracker,
  issues,
  recording,
  analytics,
  integrations,
  provedAddresses,
  deliveries,
  deletedOrganizations,
];

/**
 * Returns the name under which a database records a migration. The name ends with a digest, so a changed migration has
 * another name.
 */
export function buildMigrationName({ id, statements }: Migration): string {
  const text = statements.map((statement) => statement.replaceAll(/\s+/g, " ")).join(";");
  return `${id}-${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

const orderOf = (name: string): string => name.slice(0, 4);

/** Returns true if a recorded migration is newer than all migrations of this release. */
export const isNewerMigration = (name: string): boolean => migrations.every(({ id }) => orderOf(id) < orderOf(name));

/**
 * Returns true for a recorded migration that this release does not contain. Newer migrations are accepted, because the
 * previous release runs beside the new release during an upgrade.
 */
const isForeign = (name: string): boolean =>
  !migrations.some((each) => buildMigrationName(each) === name) && !isNewerMigration(name);

/** Returns the reason why a database does not belong to this build; undefined for a valid database. */
export const explainForeignDatabase = (recorded: readonly string[]): string | undefined =>
  recorded.some(isForeign)
    ? "the database is of an unreleased build: npm run backup -- FILE with that build, " +
      "then npm run restore -- FILE with this one, into an empty DATA_DIR or database"
    : undefined;

/** Number of the advisory lock: "trackway" in ASCII, reduced to a bigint. The number must never change. */
export const MIGRATION_LOCK = "8390880602276094329";
const ASK_AGAIN_MS = 50;

/**
 * Updates the schema with knex's migrator. Only one process migrates at a time; other processes wait for an advisory lock.
 * The lock ends with the connection, so a killed process keeps no lock. A migration is recorded after its last statement,
 * and each statement may run again: the next start repeats an interrupted migration.
 * @param client separate connection to PostgreSQL itself
 * @throws DatabaseOpenError for a database of an unreleased build
 */
export async function migrate(client: ClientBase): Promise<void> {
  while (!(await locked(client))) await sleep(ASK_AGAIN_MS);
  try {
    await runMigrator(client);
  } finally {
    await client.query(`select pg_advisory_unlock(${MIGRATION_LOCK})`).catch(() => {});
  }
}

/**
 * Tries to take the lock without waiting. CREATE INDEX CONCURRENTLY waits for all running statements, and a statement
 * that waits for the lock would block the migration.
 */
async function locked(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${MIGRATION_LOCK}) as locked`);
  return rows[0]?.locked === true;
}

async function runMigrator(client: ClientBase): Promise<void> {
  const { migrate: migrator } = knexOver(client);
  const config = configOver(client);
  const [done, pending]: [{ name: string }[], unknown[]] = await migrator.list(config);
  const reason = explainForeignDatabase(done.map(({ name }) => name));
  if (reason) throw new DatabaseOpenError(reason);
  if (pending.length === 0) return;
  // knex's own lock is a row, which stays locked after a killed process. The advisory lock guarantees that no other
  // process holds it.
  await migrator.forceFreeMigrationsLock(config);
  await migrator.latest(config);
}

/** Creates a knex instance that uses one existing connection for the migrator, and never opens or closes a connection. */
function knexOver(connection: ClientBase): Knex {
  const knex = createKnex();
  knex.client.acquireConnection = async () => connection;
  knex.client.releaseConnection = async () => {};
  return knex;
}

const configOver = (client: ClientBase): Knex.MigratorConfig => ({
  migrationSource: sourceOver(client),
  // Each statement commits alone. In one transaction, a migration would keep all locks until its end.
  disableTransactions: true,
  // `refusal` returns an error with a fix instead.
  disableMigrationsListValidation: true,
});

/** Sends statements to the driver unchanged, because `knex.raw` would treat a question mark as a parameter. */
const sourceOver = (client: ClientBase): Knex.MigrationSource<Migration> => ({
  getMigrations: async () => [...migrations],
  getMigrationName: buildMigrationName,
  getMigration: async ({ statements }) => ({
    async up() {
      for (const statement of statements) await client.query(statement);
    },
    async down() {
      throw new Error("migrations go forward only: restore a backup instead");
    },
  }),
});
