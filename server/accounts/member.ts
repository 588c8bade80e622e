import type { Queryable } from "./audit.ts";

/** What a member may do: owners alone manage webhooks, ingest keys, invitations, members and the organization. */
export type Role = "owner" | "member";

/**
 * Makes an account a member of an organization. The member's id is the account's, so that a person has one id from
 * sign-up on; a member who was removed comes back as the same user.
 * @returns the user's id.
 */
export async function insertMember(
  trx: Queryable,
  input: { organizationId: string; account: { id: string; name: string; email: string }; role: Role },
): Promise<string> {
  const { organizationId, account, role } = input;
  await trx.query({
    text: `insert into "user" ("organizationId", id, "accountId", role, name, "displayName", email, "createdAt", "updatedAt")
           values ($1, $2, $2, $3, $4, $5, $6, $7, $7)
           on conflict ("organizationId", "accountId") do update set active = true, role = excluded.role, "updatedAt" = excluded."updatedAt"`,
    values: [organizationId, account.id, role, account.name, account.email.split("@")[0], account.email, new Date()],
  });
  return account.id;
}
