import { notFound } from "../errors.ts";
import type { Queryable } from "./audit.ts";

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
  const [found] = await db.query<{ id: string; last: boolean | null }>({
    text: `select o.id, a."lastOrganizationId" = o.id as last
             from "user" u
             join organization o on o.id = u."organizationId"
             join account a on a.id = u."accountId"
            where u."accountId" = $1 and u.active and ($2::text is null or o."urlKey" = $2)
            order by (o.id = $3) desc nulls last, (o.id = a."lastOrganizationId") desc nulls last, u."createdAt"
            limit 1`,
    values: [choice.accountId, choice.organization ?? null, choice.preferredId ?? null],
  });
  if (!found && choice.organization) throw notFound("organization", choice.organization);
  if (found && !found.last) await rememberOrganization(db, choice.accountId, found.id);
  return found?.id ?? null;
}

/** Makes an organization the account's last used. */
export async function rememberOrganization(db: Queryable, accountId: string, organizationId: string): Promise<void> {
  await db.query({
    text: `update account set "lastOrganizationId" = $2 where id = $1`,
    values: [accountId, organizationId],
  });
}
