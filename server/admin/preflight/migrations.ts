import {
  buildMigrationName,
  explainForeignDatabase,
  MIGRATION_LOCK,
  type Migration,
  migrations,
} from "../../../db/migrations/index.ts";
import { failedResult, okResult, type PreflightCheck, warningResult } from "./finding.ts";

/** Rows per second on a busy machine with two cores: building an index, reading rows, writing rows. */
const RATES = { index: 150_000, read: 500_000, write: 20_000 };

/**
 * Statements whose duration grows with the number of rows. The pattern
 * captures the table. Other statements take moments.
 */
const SLOW: readonly (readonly [kind: keyof typeof RATES, pattern: RegExp])[] = [
  ["index", /^\s*create (?:unique )?index .*? on (?:only )?"?(\w+)/is],
  [
    "read",
    /^\s*alter table (?:if exists )?(?:only )?"?(\w+)"? .*(?:set not null|type |add constraint|add check|references)/is,
  ],
  ["write", /^\s*(?:update|delete from) (?:only )?"?(\w+)/is],
];

/** The number of rows of a table, and the names of its indexes. */
interface Size {
  name: string;
  rows: number;
  indexes: string[];
}

/**
 * Estimates the seconds that migrations take: the rows of each slow statement's table, divided by the rate of the
 * statement's kind. An existing index takes no time.
 */
export function estimateSeconds(pending: readonly Migration[], sizes: readonly Size[]): number {
  const known = new Map(sizes.map((size) => [size.name, size]));
  return pending
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => {
      const [kind, table] =
        SLOW.flatMap(([kind, pattern]) => {
          const [, name = ""] = pattern.exec(statement) ?? [];
          return name ? [[kind, name] as const] : [];
        })[0] ?? [];
      const size = known.get(table ?? "");
      const [, index = ""] = /index (?:concurrently )?(?:if not exists )?"?(\w+)/i.exec(statement) ?? [];
      if (!kind || !size || (kind === "index" && size.indexes.includes(index))) return [];
      return [size.rows / RATES[kind]];
    })
    .reduce((sum, seconds) => sum + seconds, 0);
}

/**
 * Raw SQL: reads PostgreSQL's catalogs. For a table that was never analyzed, the row count is estimated from the size
 * (100 bytes per row).
 */
const SIZES = `
  select c.relname as name,
         case when c.reltuples < 0 then pg_relation_size(c.oid) / 100 else c.reltuples end::float8 as rows,
         array(select i.relname::text from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = c.oid) as indexes
    from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`;

/**
 * Lists the pending migrations and the estimated total time of the migrations. Fails for a database of another build.
 */
export const migrationsCheck: PreflightCheck = async (ask) => {
  const [{ there } = { there: false }] = await ask<{ there: boolean }>(
    "select to_regclass('knex_migrations') is not null as there",
  );
  const recorded = there ? await ask("select name from knex_migrations") : [];
  const names = recorded.map(({ name }) => String(name));
  const reason = explainForeignDatabase(names);
  if (reason) return failedResult(reason);
  const pending = migrations.filter((each) => !names.includes(buildMigrationName(each)));
  if (pending.length === 0) return okResult("none is pending");
  if (names.length === 0) return okResult("the database is empty; the first start makes its tables, in seconds");
  const seconds = Math.ceil(estimateSeconds(pending, await ask<Size>(SIZES)));
  return okResult(
    `${pending.length} pending (${pending.map(({ id }) => id).join(", ")}), about ${seconds} s: the rows of each table that a ` +
      `statement builds an index on, reads or rewrites, at ${RATES.index}, ${RATES.read} and ${RATES.write} a second`,
  );
};

/** A migrating server waits at most this time for a lock, in seconds. */
const LOCK_TIMEOUT_S = 60;

/**
 * Finds transactions and locks that would delay migrations: a concurrent index build waits for every older transaction.
 * Raw SQL: reads the server's views.
 */
export const locksCheck: PreflightCheck = async (ask) => {
  const [migrating] = await ask(
    `select pid from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
        and ((classid::bigint << 32) | objid::bigint) = ${MIGRATION_LOCK}`,
  );
  if (migrating) return warningResult(`process ${migrating["pid"]} of PostgreSQL runs migrations now; wait for it`);
  const [prepared] = await ask("select gid from pg_prepared_xacts where database = current_database()");
  if (prepared)
    return failedResult(`the prepared transaction ${prepared["gid"]} holds its locks; commit it or roll it back`);
  const [oldest] = await ask<{ pid: number; program: string; seconds: number }>(
    `select pid, application_name as program, extract(epoch from now() - xact_start)::integer as seconds
       from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '5 s'
        and backend_type = 'client backend' order by xact_start limit 1`,
  );
  if (oldest) {
    const { pid, program, seconds } = oldest;
    const text = `process ${pid} (${program || "no name"}) is in a transaction for ${seconds} s, which migrations wait for; end it`;
    return seconds >= LOCK_TIMEOUT_S ? failedResult(text) : warningResult(text);
  }
  const [held] = await ask(
    `select l.pid, c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation
      where l.granted and l.pid <> pg_backend_pid() and l.mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareLock')
        and c.relnamespace = current_schema()::regnamespace limit 1`,
  );
  if (held)
    return warningResult(`process ${held["pid"]} holds ${held["mode"]} on ${held["relname"]}; wait for it, or end it`);
  return okResult("nobody is in the way");
};
