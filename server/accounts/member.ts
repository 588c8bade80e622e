import type { Database, Transaction } from "../../db/open.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { conflict, notFound } from "../errors.ts";
import { audit, type Queryable } from "./audit.ts";

/** What a member may do: owners alone manage webhooks, ingest keys, invitations, members and the organization. */
export type Role = "owner" | "member";

/** A member as owners see one. */
export interface MemberView {
  id: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
}

/** The owner who manages, and the organization. */
interface Manager {
  organizationId: string;
  userId: string;
}

/** Members shown at once; the rest follow by `after`. */
const PAGE = 250;

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
           on conflict ("organizationId", "accountId") do update set active = true, role = excluded.role,
             "updatedAt" = excluded."updatedAt"
           where not "user".active`,
    values: [organizationId, account.id, role, account.name, account.email.split("@")[0], account.email, new Date()],
  });
  return account.id;
}

/** The members of an organization, in the order they joined, 250 at a time. */
export async function listMembers(
  db: Database,
  organizationId: string,
  after?: string,
): Promise<{ members: MemberView[]; next?: string }> {
  const rows = await db.query<MemberView>({
    text: `select id, email, name, role, "createdAt" from "user"
            where "organizationId" = $1 and active and ($2::uuid is null or id > $2) order by id limit ${PAGE + 1}`,
    values: [organizationId, after ?? null],
  });
  const members = rows.slice(0, PAGE);
  const last = members.at(-1);
  return { members, ...(rows.length > PAGE && last && { next: last.id }) };
}

/**
 * Gives a member another role.
 * @throws notFound; conflict `last_owner` when nobody would own the organization.
 */
export async function setRole(db: Database, manager: Manager, id: string, role: Role): Promise<MemberView> {
  const member = await db.transaction(async (trx) => {
    await lockOwners(trx, manager.organizationId);
    const [changed] = await trx.query<MemberView>({
      text: `update "user" set role = $3, "updatedAt" = $4 where "organizationId" = $1 and id = $2 and active
             returning id, email, name, role, "createdAt"`,
      values: [manager.organizationId, id, role, new Date()],
    });
    if (!changed) throw notFound("member", id);
    await refuseOwnerless(trx, manager.organizationId);
    await note(trx, manager, "member.role", { id, role });
    return changed;
  });
  credentialsRevoked(db);
  return member;
}

/**
 * Removes a member: their tokens and keys no longer open the organization, what they wrote stays.
 * @throws notFound; conflict `last_owner` when nobody would own the organization.
 */
export async function removeMember(db: Database, manager: Manager, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    await lockOwners(trx, manager.organizationId);
    const removed = await trx.query({
      text: `update "user" set active = false, "updatedAt" = $3
              where "organizationId" = $1 and id = $2 and active returning id`,
      values: [manager.organizationId, id, new Date()],
    });
    if (removed.length === 0) throw notFound("member", id);
    await refuseOwnerless(trx, manager.organizationId);
    await trx.query({
      text: `delete from "apiKey" where "organizationId" = $1 and "userId" = $2`,
      values: [manager.organizationId, id],
    });
    await note(trx, manager, "member.removed", { id });
  });
  credentialsRevoked(db);
}

/** Two owners who remove each other at once must not both succeed. */
const lockOwners = (trx: Transaction, organizationId: string) =>
  trx.query({
    text: `select id from "user" where "organizationId" = $1 and role = 'owner' and active order by id for update`,
    values: [organizationId],
  });

async function refuseOwnerless(trx: Transaction, organizationId: string): Promise<void> {
  const owners = await trx.query({
    text: `select from "user" where "organizationId" = $1 and role = 'owner' and active limit 1`,
    values: [organizationId],
  });
  if (owners.length === 0)
    throw conflict("An organization needs an owner: make another member one first.", "last_owner");
}

const note = (trx: Transaction, { organizationId, userId }: Manager, event: string, detail: Record<string, unknown>) =>
  audit(trx, { event, organizationId, accountId: userId, detail });
