import type { Database } from "../../../db/open.ts";

/**
 * SQL trigger that refuses every write of a row that belongs to a poisoned organization, session or issue, in any
 * table.
 */
const REFUSE = `create function refuse_poisoned() returns trigger language plpgsql as $$
  declare old_or_new jsonb := to_jsonb(coalesce(new, old));
  begin
    if exists (select from poisoned p where p.id::text in (old_or_new ->> 'organizationId',
      old_or_new ->> 'organization_id', old_or_new ->> 'session_id', old_or_new ->> 'id')) then
      raise exception 'a row of % is poisoned', tg_table_name;
    end if;
    return coalesce(new, old);
  end $$`;

/** SQL for the tables with rows of organizations. */
const TABLES = `select quote_ident(c.relname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attname in ('organizationId', 'organization_id')`;

/** SQL for the foreign keys to organizations. Most tables have none. */
const KEYS = `select conrelid::regclass as name, quote_ident(conname) as key from pg_constraint
  where contype = 'f' and confrelid = 'organization'::regclass`;

/**
 * Prepares a database so that tests can poison rows of an organization: the database then refuses to write the rows.
 * Rows can stay in the database without their organization.
 */
export async function preparePoison(db: Database): Promise<void> {
  await db.query({ text: "create table poisoned (id uuid primary key)" });
  await db.query({ text: REFUSE });
  for (const { name } of await db.query<{ name: string }>({ text: TABLES }))
    await db.query({
      text: `create trigger poison before insert or update or delete on ${name} for each row execute function refuse_poisoned()`,
    });
  for (const { name, key } of await db.query<{ name: string; key: string }>({ text: KEYS }))
    await db.query({ text: `alter table ${name} drop constraint ${key}` });
}

/** Poisons the rows of an organization, a session or an issue while `work` runs. */
export async function whilePoisoned<T>(db: Database, id: string, work: () => Promise<T>): Promise<T> {
  await db.query({ text: "insert into poisoned values ($1)", values: [id] });
  try {
    return await work();
  } finally {
    await db.query({ text: "delete from poisoned" });
  }
}

/**
 * Deletes the row of an organization while `work` runs, as if another client had deleted the organization. All other
 * rows stay.
 */
export async function whileOrganizationDeleted<T>(db: Database, id: string, work: () => Promise<T>): Promise<T> {
  await db.query({ text: `create table gone as select * from organization where id = '${id}'` });
  await db.query({ text: "delete from organization where id = $1", values: [id] });
  try {
    return await work();
  } finally {
    await db.query({ text: "insert into organization select * from gone" });
    await db.query({ text: "drop table gone" });
  }
}
