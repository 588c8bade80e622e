import { withClient } from "../../../db/postgres/connect.ts";
import { MIN_POSTGRES_MAJOR } from "../../../db/postgres/open.ts";
import type { Config } from "../../config.ts";
import {
  createSettingCheck,
  extensionsCheck,
  failedResult,
  okResult,
  type PreflightCheck,
  type PreflightFinding,
  type PreflightQuery,
  runChecks,
  warningResult,
} from "./finding.ts";
import { locksCheck, migrationsCheck } from "./migrations.ts";

/**
 * Number of connections that a server opens in addition to its pool, and number of connections that are reserved for
 * people. docs/operations.md explains the calculation.
 */
const [BESIDE_POOL, FOR_PEOPLE] = [3, 5];
const MOST_OFF_S = 60;

/**
 * Runs every check of a PostgreSQL database, in order, read-only.
 * @throws DatabaseOpenError when the database does not respond
 */
export async function checkPostgres(config: Config, servers: number): Promise<PreflightFinding[]> {
  const { DATABASE_URL = "", DATABASE_DIRECT_URL: direct, DATABASE_POOL: pool = 10 } = config;
  const found = await withClient(
    direct ?? DATABASE_URL,
    direct ? "DATABASE_DIRECT_URL" : "DATABASE_URL",
    async (client) => {
      // With these timeouts, a check reports a locked table as a failure instead of waiting for the lock.
      await client.query("set lock_timeout = '2s'; set statement_timeout = '15s'");
      const ask: PreflightQuery = async (text, values) => (await client.query(text, values as unknown[])).rows;
      return runChecks({ ...CHECKS, connections: connectionsCheck(servers, pool) }, ask);
    },
  );
  if (!direct) return found;
  const pooled = await withClient(DATABASE_URL, "DATABASE_URL", (client) =>
    runChecks(
      { "time zone of the pooler": createSettingCheck("TimeZone", "UTC") },
      async (text) => (await client.query(text)).rows,
    ),
  );
  return [...found, ...pooled];
}

const CHECKS: Record<string, PreflightCheck> = {
  version: async (ask) => {
    const [row] = await ask("select current_setting('server_version') as version");
    const version = String(row?.["version"]);
    return Number.parseInt(version, 10) < MIN_POSTGRES_MAJOR
      ? failedResult(`PostgreSQL ${version}; Trackway needs ${MIN_POSTGRES_MAJOR} or newer`)
      : okResult(`PostgreSQL ${version}`);
  },
  encoding: createSettingCheck("server_encoding", "UTF8"),
  "time zone": createSettingCheck("TimeZone", "UTC"),
  "synchronous commit": createSettingCheck("synchronous_commit", "on"),
  writable: async (ask) => {
    const [row] = await ask<{ standby: boolean; readonly: string }>(
      "select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') as readonly",
    );
    if (row?.standby) return failedResult("it is a standby, and takes no writes; name the primary");
    return row?.readonly === "on"
      ? failedResult("default_transaction_read_only is on; set it off")
      : okResult("it takes writes");
  },
  rights: async (ask) => {
    const [row] = await ask<{ schema: string; may: boolean }>(
      "select current_schema() as schema, has_schema_privilege(current_schema(), 'create') as may",
    );
    return row?.may
      ? okResult(`tables may be made in ${row.schema}`)
      : failedResult("this role may make no tables: grant create on schema public to it, or have it own the database");
  },
  extensions: extensionsCheck,
  clock: async (ask) => {
    const asked = Date.now();
    const [row] = await ask<{ at: number }>("select (extract(epoch from clock_timestamp()) * 1000)::float8 as at");
    const seconds = Math.round(((asked + Date.now()) / 2 - Number(row?.at)) / 1_000);
    const text = `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} the database's`;
    if (Math.abs(seconds) > MOST_OFF_S) return failedResult(`this machine's clock is ${text}; set both with NTP`);
    return Math.abs(seconds) > 5
      ? warningResult(`this machine's clock is ${text}; set both with NTP`)
      : okResult("both clocks agree");
  },
  size: async (ask) => {
    const [row] = await ask("select pg_size_pretty(pg_database_size(current_database())) as size");
    return okResult(
      `${row?.["size"]}; SQL does not show the room on its disk: have as much free, and twice that for a backup`,
    );
  },
  locks: locksCheck,
  migrations: migrationsCheck,
};

/**
 * Raw SQL: reads the server's settings. Checks that the connections of all servers fit within the lowest of three
 * limits: the limit of the PostgreSQL server, of the role, and of the database.
 */
const connectionsCheck =
  (servers: number, pool: number): PreflightCheck =>
  async (ask) => {
    const [row] = await ask<{ most: number }>(
      `select least(current_setting('max_connections')::integer, nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as most
         from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
    );
    const most = Number(row?.most);
    const sum = servers * (pool + BESIDE_POOL) + FOR_PEOPLE;
    const text = `${servers} servers × (${pool} + ${BESIDE_POOL}) + ${FOR_PEOPLE} = ${sum} of ${most} connections`;
    return sum <= most
      ? okResult(text)
      : failedResult(`${text}; lower DATABASE_POOL, or raise max_connections or the role's limit`);
  };
