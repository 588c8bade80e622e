import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { audit } from "../accounts/audit.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { inputError } from "../errors.ts";
import { referencesOf, referringFirst } from "./foreign-keys.ts";
import { type Table, tables } from "./tables.ts";

/** Rows that one statement removes: short enough to hold nobody up. */
const SLICE = 5_000;

/**
 * Deletes an organization with everything that carries its id, in slices. Its members and keys are shut out first, so
 * nothing new comes meanwhile; a run that was cut off is finished by the next, since the organization itself goes last.
 * @throws inputError for an organization that there is not, or a name that was not repeated.
 */
export async function deleteOrganization(db: Database, urlKey: string, repeated: string | undefined): Promise<string> {
  const [organization] = await db.query<{ id: string }>(
    toStatement(knex("organization").where({ urlKey }).select("id")),
  );
  if (!organization) throw inputError(`there is no organization ${urlKey}`);
  if (repeated !== urlKey)
    throw inputError(
      `this deletes ${urlKey} for good, with all that was recorded; to do so: delete-organization ${urlKey} ${urlKey}`,
    );
  const { id } = organization;
  await shutOut(db, id);
  const counts = await deleteRows(db, id);
  await db.query(toStatement(knex("account").where({ lastOrganizationId: id }).update({ lastOrganizationId: null })));
  await db.query(toStatement(knex("organization").where({ id }).delete()));
  await audit(db, { event: "organization.deleted", detail: { urlKey, ...counts } });
  return [...Object.entries(counts).map(([name, count]) => `${name}: ${count}`), `${urlKey} is deleted`].join("\n");
}

async function shutOut(db: Database, organizationId: string): Promise<void> {
  for (const table of ["apiKey", "ingestKey", "invitation", "oauthCode", "oauthGrant"])
    await db.query(toStatement(knex(table).where({ organizationId }).delete()));
  await db.query(toStatement(knex("user").where({ organizationId }).update({ active: false })));
  credentialsRevoked(db);
}

/** Removes the rows of every table that has the organization in it, those that refer to others first. */
async function deleteRows(db: Database, organizationId: string): Promise<Record<string, number>> {
  const all = await tables((text, values = []) => db.query({ text, values }));
  const owned = all.filter((table) => tenantOf(table));
  const references = await referencesOf(db);
  const counts: Record<string, number> = {};
  for (const table of referringFirst(owned, references)) {
    const own = references.filter((each) => each.table === table.name && each.target === table.name);
    for (const { column } of own) await empty(db, { table, organizationId, column });
    const removed = await drain(db, table, organizationId);
    if (removed > 0) counts[table.name] = removed;
  }
  return counts;
}

const tenantOf = ({ columns }: Table) =>
  columns.find((name) => name === "organizationId" || name === "organization_id");

/** Empties a column by which rows of a table refer to each other. */
async function empty(
  db: Database,
  { table, organizationId, column }: { table: Table; organizationId: string; column: string },
) {
  await inSlices(() => {
    const some = keysOf(table, organizationId).whereNotNull(column);
    return toStatement(
      knex(table.name)
        .whereIn(keyColumns(table), some)
        .update({ [column]: null }, [column]),
    );
  }, db);
}

const drain = (db: Database, table: Table, organizationId: string): Promise<number> =>
  inSlices(() => {
    const some = keysOf(table, organizationId);
    return toStatement(knex(table.name).whereIn(keyColumns(table), some).delete(keyColumns(table)));
  }, db);

const keyColumns = ({ key }: Table): string[] => key.map(({ name }) => name);

const keysOf = (table: Table, organizationId: string) =>
  knex(table.name)
    .where({ [tenantOf(table) ?? ""]: organizationId })
    .select(keyColumns(table))
    .limit(SLICE);

async function inSlices(statement: () => ReturnType<typeof toStatement>, db: Database): Promise<number> {
  let total = 0;
  for (let slice = SLICE; slice === SLICE; total += slice) slice = (await db.query(statement())).length;
  return total;
}
