import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../db/builder.ts";
import { isForeignKeyViolation } from "../../db/errors/sqlstate.ts";
import type { Database } from "../../db/open.ts";
import { audit } from "../accounts/audit.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { inputError } from "../errors.ts";
import { type Counts, deleteRows, type Query } from "./delete-rows.ts";

/** No server takes a revoked credential for longer. */
const REVOKED_MS = 1_000;

/** How often rows are removed anew that referred to others just before those went. */
const ROUNDS = 10;

/**
 * Deletes an organization with everything that carries its id, in slices. Its members and keys are shut out first; what
 * jobs and requests under way add meanwhile is removed again. A run that was cut off is finished by the next, since the
 * organization itself goes last.
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
  const query: Query = (statement) => db.query(statement);
  const counts = await deleteMost(query, id);
  await db.query(toStatement(knex("account").where({ lastOrganizationId: id }).update({ lastOrganizationId: null })));
  add(counts, await deleteLast(db, id));
  // Few tables refer to the organization itself: the others take what comes late.
  for (let late: Counts | undefined; late?.size !== 0; add(counts, late)) {
    await sleep(REVOKED_MS);
    late = await deleteRows(query, id);
  }
  await audit(db, { event: "organization.deleted", detail: { urlKey, ...Object.fromEntries(counts) } });
  return [...[...counts].map(([name, count]) => `${name}: ${count}`), `${urlKey} is deleted`].join("\n");
}

async function shutOut(db: Database, organizationId: string): Promise<void> {
  for (const table of ["apiKey", "ingestKey", "invitation", "oauthCode", "oauthGrant"])
    await db.query(toStatement(knex(table).where({ organizationId }).delete()));
  await db.query(toStatement(knex("user").where({ organizationId }).update({ active: false })));
  credentialsRevoked(db);
}

/** Removes nearly all rows of an organization: a few may come meanwhile, which refer to what goes. */
async function deleteMost(query: Query, organizationId: string): Promise<Counts> {
  for (let round = 1; ; round += 1) {
    try {
      return await deleteRows(query, organizationId);
    } catch (error) {
      if (!isForeignKeyViolation(error) || round === ROUNDS) throw error;
    }
  }
}

/** Removes the last rows of an organization with itself: who writes in it waits for that, and then finds it gone. */
const deleteLast = (db: Database, id: string): Promise<Counts> =>
  db.transaction(async (trx) => {
    const query: Query = (statement) => trx.query(statement);
    await query(toStatement(knex("sync").where({ organizationId: id }).forUpdate().select("organizationId")));
    await query(toStatement(knex("organization").where({ id }).forUpdate().select("id")));
    const counts = await deleteRows(query, id);
    await query(toStatement(knex("organization").where({ id }).delete()));
    return counts;
  });

const add = (counts: Counts, more: Counts) =>
  more.forEach((count, name) => {
    counts.set(name, (counts.get(name) ?? 0) + count);
  });
