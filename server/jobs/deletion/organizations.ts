import { knex, toStatement } from "../../../db/builder.ts";
import { isForeignKeyViolation } from "../../../db/errors/sqlstate.ts";
import type { Database } from "../../../db/open.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { audit } from "../../accounts/audit.ts";
import { deletedOrganizations } from "../../accounts/deleted.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { lockOf } from "../../resources/recorded/retention/lock.ts";
import { type Counts, deleteRows, type Query } from "./delete-rows.ts";

/** Tables of credentials that open an organization, or let somebody in. */
const CREDENTIALS = ["apiKey", "ingestKey", "invitation", "oauthCode", "oauthGrant", "oidcProvider"];
/**
 * The time for which a deleted organization is checked: anything that began before has ended by then, and added its
 * last rows.
 */
const KEPT_MS = HOUR_MS;
/** The number of times that rows are removed anew that referred to others just before those were deleted. */
const ROUNDS = 10;

/**
 * Deletes an organization, in one transaction: from now on there is none for whoever asks. Its credentials and its change
 * counter go, so that neither a commit nor a mutation adds a row, its members and webhooks are switched off, and its name is
 * free. Its rows are left to `removeOrganization`.
 */
export async function deleteOrganization(db: Database, id: string, urlKey: string): Promise<void> {
  await db.transaction(async (trx) => {
    // Its writers wait here, and then find no counter.
    await trx.query(toStatement(knex("sync").where({ organizationId: id }).delete()));
    for (const table of CREDENTIALS) await trx.query(toStatement(knex(table).where({ organizationId: id }).delete()));
    await trx.query(toStatement(knex("user").where({ organizationId: id }).update({ active: false })));
    await trx.query(toStatement(knex("webhook").where({ organizationId: id }).update({ enabled: false })));
    await trx.query(
      toStatement(knex("account").where({ lastOrganizationId: id }).update({ lastOrganizationId: null })),
    );
    const deleted = { deletedAt: new Date(), name: "", urlKey: `deleted-${id}` };
    await trx.query(toStatement(knex("organization").where({ id }).update(deleted)));
    await audit(trx, { event: "organization.deleted", detail: { urlKey } });
  });
  credentialsRevoked(db);
}

/** Removes the rows of a deleted organization, in slices, once the commits that found its keys have ended. Answers how many, by table. */
export async function removeOrganization(db: Database, id: string): Promise<Counts> {
  await db.transaction((trx) => trx.query(toStatement(knex.raw(`select pg_advisory_xact_lock(${lockOf(id)})`))));
  const query: Query = (statement) => db.query(statement);
  for (let round = 1; ; round += 1) {
    try {
      return await deleteRows(query, id);
    } catch (error) {
      if (!isForeignKeyViolation(error) || round === ROUNDS) throw error;
    }
  }
}

/**
 * Goes on with deleted organizations where the command or another server stopped, and forgets them when nothing more can
 * come. Safe on any number of processes. Answers how many rows it removed.
 */
export async function removeDeleted(db: Database, now = Date.now()): Promise<number> {
  let removed = 0;
  for (const id of await deletedOrganizations(db)) {
    const counts = await removeOrganization(db, id);
    removed += [...counts.values()].reduce((sum, count) => sum + count, 0);
    const old = knex("organization")
      .where({ id })
      .where("deletedAt", "<", new Date(now - KEPT_MS));
    if (counts.size === 0) await db.query(toStatement(old.delete()));
  }
  return removed;
}
