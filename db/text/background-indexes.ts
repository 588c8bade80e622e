import type { Database } from "../database.ts";
import { buildUncomposedSql } from "./canonical.ts";

/** Index that the server builds while it serves requests. Without the index, searches and filters work and read more rows. */
interface BackgroundIndex {
  name: string;
  /** Table, columns and condition of the index. */
  on: string;
}

/** Reads use the same text. PostgreSQL uses an index only if the conditions match. */
const TURN_OR_CALL = `(coalesce(kind, case when primitive_type is not distinct from 'tool' or parent_id is not null
    then 'tool' else 'turn' end))`;

/** Indexes of rows whose text is not in NFC, by the NFC form of the text. Usually these indexes contain no or few rows. */
const BACKGROUND_INDEXES: readonly BackgroundIndex[] = [
  {
    name: "issue_title_composed",
    on: `issue ("organizationId", normalize(title, NFC), id) where ${buildUncomposedSql("title")}`,
  },
  {
    name: "external_user_name_composed",
    on: `"externalUser" ("organizationId", normalize(name, NFC)) where ${buildUncomposedSql("name")}`,
  },
  {
    name: "recorded_event_agent_composed",
    on: `recorded_event (organization_id, normalize(primitive_name, NFC), session_id)
      where ${TURN_OR_CALL} = 'turn' and ${buildUncomposedSql("primitive_name")}`,
  },
];

/** Time limit of a build in ms. The time grows with the table. The job repeats a build that was cut off. */
const LIMIT_MS = 6 * 60 * 60 * 1_000;

/** State of an index: usable, under construction by another server, or unusable after a build that was cut off. */
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
 * Builds the missing indexes one after another. PostgreSQL builds indexes `concurrently`, which does not block writers. The
 * embedded engine has one connection and builds indexes normally. Resolves with the number of built indexes.
 */
export async function buildIndexes(db: Database): Promise<number> {
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
