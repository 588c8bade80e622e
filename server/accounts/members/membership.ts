import { compiled, knex, toStatement } from "../../../db/builder.ts";
import { notFound } from "../../errors.ts";
import type { Queryable } from "../audit.ts";

/** What decides the organization of new tokens: the one asked for, else one to prefer, else the last used. */
export interface Choice {
  accountId: string;
  /** urlKey of the organization asked for. */
  organization?: string | undefined;
  preferredId?: string | null;
}

/**
 * Chooses the organization that new tokens carry, and remembers it as the account's last used.
 * @returns its id, or null when the account belongs to none.
 * @throws notFound when the one asked for is not the account's, or is nobody's: the same words.
 */
export async function chooseOrganization(db: Queryable, choice: Choice): Promise<string | null> {
  const [found] = await db.query<{ id: string; last: boolean | null }>(
    chosen({ organization: null, preferredId: null, ...choice }),
  );
  if (!found && choice.organization) throw notFound("organization", choice.organization);
  if (found && !found.last) await rememberOrganization(db, choice.accountId, found.id);
  return found?.id ?? null;
}

/** Makes an organization the account's last used. */
export async function rememberOrganization(db: Queryable, accountId: string, organizationId: string): Promise<void> {
  await db.query(toStatement(knex("account").where({ id: accountId }).update({ lastOrganizationId: organizationId })));
}

const chosen = compiled(
  "choose-organization",
  ["accountId", "organization", "preferredId"],
  ({ accountId, organization, preferredId }) =>
    knex("user as u")
      .join("organization as o", "o.id", "u.organizationId")
      .join("account as a", "a.id", "u.accountId")
      .where({ "u.accountId": accountId, "u.active": true })
      .whereRaw(`o."urlKey" = coalesce(?, o."urlKey")`, [organization])
      .orderByRaw(`(o.id = ?) desc nulls last, (o.id = a."lastOrganizationId") desc nulls last`, [preferredId])
      .orderBy("u.createdAt")
      .limit(1)
      .select("o.id", knex.raw(`a."lastOrganizationId" = o.id as last`)),
);
