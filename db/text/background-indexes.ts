import type { Database } from "../database.ts";
import { buildIsNotNfcSql } from "./canonical.ts";

/**
 * Index that the server builds while it serves requests. Without the index, searches and filters still work, but read
 * more rows.
 */
interface BackgroundIndex {
  name: string;
  /** Table, columns and condition of the index. */
  on: string;
}

/**
 * SQL expression for the kind of an event. Reads must use exactly this text, because PostgreSQL uses an index only if
 * the conditions match.
 */
const TURN_OR_CALL = `(coalesce(kind, case when primitive_type is not distinct from 'tool' or parent_id is not null
    then 'tool' else 'turn' end))`;

/**
 * Indexes of the rows whose text is not in Unicode's composed form (NFC). The index key is the text converted to NFC.
 * Usually no rows, or only a few rows, are in these indexes.
 */
const BACKGROUND_INDEXES: readonly BackgroundIndex[] = [
  {
    name: "issue_title_composed",
    on: `issue ("organizationId", normalize(title, NFC), id) where ${buildIsNotNfcSql("title")}`,
  },
  {
    name: "external_user_name_composed",
    on: `"externalUser" ("organizationId", normalize(name, NFC)) where ${buildIsNotNfcSql("name")}`,
  },
  {
    name: "recorded_event_agent_composed",
    on: `recorded_event (organization_id, normalize(primitive_name, NFC), session_id)
      where ${TURN_OR_CALL} = 'turn' and ${buildIsNotNfcSql("primitive_name")}`,
  },
];

/**
 * Time limit of an index build in ms. The limit is long, because the time of a build grows with the table. If the limit
 * interrupts a build, the job repeats the build later.
 */
const LIMIT_MS = 6 * 60 * 60 * 1_000;

/**
 * State of an index: usable (`valid`), under construction by another server (`building`), or unusable after an
 * interrupted build.
 */
interface Built {
  name: string;
  valid: boolean;
  building: boolean;
}

/** Raw SQL: reads the catalogs. */
const STATES = `select c.relname as name, i.indisvalid as valid,
    exists (select from pg_stat_progress_create_index p where p.index_relid = c.oid) as building
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace and c.relname = any($1::text[])`;

/**
 * Builds the missing indexes one after another. PostgreSQL builds an index `concurrently`, without blocking writers.
 * The embedded engine has one connection and builds indexes normally. Resolves with the number of built indexes.
 */
export async function createMissingIndexes(db: Database): Promise<number> {
  const names = BACKGROUND_INDEXES.map(({ name }) => name);
  const states = await db.query<Built>({ text: STATES, values: [names], writes: [] });
  const stateOf = new Map(states.map((state) => [state.name, state]));
  let built = 0;
  for (const { name, on } of BACKGROUND_INDEXES) {
    const state = stateOf.get(name);
    if (state?.valid || state?.building) continue;
    if (state) await run(db, `drop index concurrently if exists ${name}`);
    await run(db, `create index ${db.engine === "postgresql" ? "concurrently " : ""}if not exists ${name} on ${on}`);
    built += 1;
  }
  return built;
}

/** Runs a statement outside a transaction. */
const run = (db: Database, text: string): Promise<unknown> =>
  db.query({ text }, undefined, { queueClass: "upkeep", limit: LIMIT_MS });
