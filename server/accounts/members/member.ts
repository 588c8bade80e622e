import { definePreparedStatement, knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { allowsPasswordsSql } from "../../auth/principal.ts";
import { conflict, forbidden, notFound } from "../../errors.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findRow, findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { type Queryable, writeAuditEntry } from "../audit.ts";
import type { Account } from "../login/sign-up.ts";

/**
 * Options that decide the organization of new tokens: the requested organization, else the preferred, else the last
 * used.
 */
interface Choice {
  accountId: string;
  /** `urlKey` of the requested organization. */
  organization?: string | undefined;
  preferredId?: string | null;
  /** The only organization that a login through an OpenID provider gives access to. */
  boundTo?: string | null;
}

/**
 * Chooses the organization of new tokens. Stores the choice as the account's last used organization, unless the login
 * gives access to only one organization. First checks the likely organizations one at a time, because each may be on
 * its own database node. Reads the account's other organizations only if no check succeeds.
 * @returns the organization's id, or null if the account belongs to none.
 * @throws notFound with the same message if the organization does not exist and if the account is not its member;
 * forbidden `oidc_required` if the organization requires its OpenID provider.
 */
export async function selectOrganizationForTokens(db: Queryable, choice: Choice): Promise<string | null> {
  const { accountId, organization } = choice;
  const [named] = await db.query<Named>(namedFor({ accountId, organization }));
  const chosen = await chooseAmong(db, choice, named);
  if (!chosen && organization) throw notFound("organization", organization);
  if (chosen && chosen !== named?.lastId && !choice.boundTo) await setLastUsedOrganization(db, accountId, chosen);
  return chosen ?? null;
}

/** Stores an organization as the account's last used. */
export async function setLastUsedOrganization(db: Queryable, accountId: string, organizationId: string): Promise<void> {
  await db.query(toStatement(knex("account").where({ id: accountId }).update({ lastOrganizationId: organizationId })));
}

async function chooseAmong(db: Queryable, choice: Choice, named: Named | undefined): Promise<string | undefined> {
  const { accountId, organization, preferredId, boundTo } = choice;
  for (const id of organization ? [named?.askedId] : [boundTo ?? preferredId, named?.lastId]) {
    if (!id || (boundTo && id !== boundTo)) continue;
    const [member] = await db.query<{ open: boolean }>(membership({ organizationId: id, accountId }));
    if (member && (member.open || boundTo)) return id;
    if (member && organization)
      throw forbidden("This organization requires you to sign in with your company.", "oidc_required");
  }
  if (organization || boundTo) return undefined;
  const [first] = await db.query<{ id: string }>(firstJoined({ accountId }));
  return first?.id;
}

/** The last used and the requested organization. */
interface Named {
  lastId: string | null;
  askedId: string | null;
}

const namedFor = definePreparedStatement(
  "organizations-named",
  ["accountId", "organization"],
  ({ accountId, organization }) =>
    knex("account as a")
      .leftJoin("organization as o", (on) => on.onVal("o.urlKey", organization))
      .where("a.id", accountId)
      .select("a.lastOrganizationId as lastId", "o.id as askedId"),
);

const membership = definePreparedStatement("is-member", ["organizationId", "accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .select({ open: knex.raw(allowsPasswordsSql('"user"."organizationId"')) }),
);

const firstJoined = definePreparedStatement("first-joined", ["accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .whereRaw(allowsPasswordsSql('"user"."organizationId"'))
    .orderBy("createdAt")
    .limit(1)
    .select("organizationId as id"),
);

/** Rights of a member. Only owners manage webhooks, ingest keys, invitations, members and the organization. */
export type Role = "owner" | "member";

/** A member as shown to other members. */
interface MemberView {
  id: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
}

/** Maximum members per page. `after` continues the list. */
const PAGE = 250;

/**
 * Returns the row of a new member. The member's id is the account's id, so that a user keeps one id from sign-up on.
 */
export const buildMemberRow = ({ id, name, email }: Account, role: Role) => ({
  id,
  accountId: id,
  role,
  active: true,
  app: false,
  name,
  displayName: email.split("@")[0] ?? email,
  email,
});

/** Makes an account a member. A removed member returns as the same user with the role `member`. */
export async function addMember(write: WriteContext, account: Account): Promise<void> {
  const before = await findRow(write, "User", account.id);
  if (!before) createRow(write, "User", buildMemberRow(account, "member"));
  else if (!before.active) updateRow(write, "User", before, { active: true, role: "member" });
}

/** Lists the members of an organization, 250 per page, in the order of their ids. */
export async function listMembers(
  db: Database,
  organizationId: string,
  after?: string,
): Promise<{ members: MemberView[]; next?: string }> {
  const page = active({ organizationId })
    .orderBy("id")
    .limit(PAGE + 1);
  if (after !== undefined) page.where("id", ">", after);
  const rows = await db.query<MemberView>(toStatement(page));
  const members = rows.slice(0, PAGE);
  const last = members.at(-1);
  return { members, ...(rows.length > PAGE && last && { next: last.id }) };
}

/** @throws notFound. */
export async function getMember(db: Database, organizationId: string, id: string): Promise<MemberView> {
  const [member] = await db.query<MemberView>(toStatement(active({ organizationId, id })));
  if (!member) throw notFound("user", id);
  return member;
}

const active = (which: { organizationId: string; id?: string }) =>
  knex("user")
    .where({ ...which, active: true, app: false })
    .select("id", "email", "name", "role", "createdAt");

/**
 * Changes a member's role. Call `invalidateCredentialCache` after the commit.
 * @throws notFound; conflict `last_owner` if the organization would have no owner.
 */
export async function setRole(write: WriteContext, id: string, role: Role): Promise<void> {
  const member = await activeMember(write, id);
  if (role !== "owner") await keepAnOwner(write, member);
  updateRow(write, "User", member, { role });
  await note(write, "member.role", { id, role });
}

/**
 * Removes a member and revokes the member's access to the organization: tokens, keys and connected apps. The member's
 * issues and comments stay. Call `invalidateCredentialCache` after the commit.
 * @throws notFound; conflict `last_owner` if the organization would have no owner.
 */
export async function removeMember(write: WriteContext, id: string): Promise<void> {
  const member = await activeMember(write, id);
  await keepAnOwner(write, member);
  await removeMemberEvenIfLastOwner(write, member);
}

/** Removes a member without checking for the last owner. */
export async function removeMemberEvenIfLastOwner(write: WriteContext, member: LoadedRow<"User">): Promise<void> {
  updateRow(write, "User", member, { active: false });
  await deleteMemberKeysAndApps(write, member.id);
  await note(write, "member.removed", { id: member.id });
}

/** Deletes a member's personal keys, and revokes the member's connected apps. */
export async function deleteMemberKeysAndApps({ trx, scope }: WriteContext, userId: string): Promise<void> {
  const { organizationId } = scope;
  for (const table of ["apiKey", "oauthCode", "oauthGrant"])
    await trx.query(toStatement(knex(table).where({ organizationId, userId }).delete()));
}

async function activeMember(write: WriteContext, id: string): Promise<LoadedRow<"User">> {
  const member = await findRowOrThrow(write, "User", id);
  if (!member.active || member.app) throw notFound("user", id);
  return member;
}

async function keepAnOwner(write: WriteContext, member: LoadedRow<"User">): Promise<void> {
  if (!(await isLastOwner(write, member))) return;
  throw conflict("An organization needs at least one owner; make another member an owner first.", "last_owner");
}

/**
 * Returns true if the member is the only owner. The mutation blocks the organization's other writers, so two owners who
 * remove each other at the same time cannot both succeed.
 */
export async function isLastOwner({ trx, scope }: WriteContext, member: LoadedRow<"User">): Promise<boolean> {
  if (member.role !== "owner") return false;
  const owners = knex("user").where({ organizationId: scope.organizationId, role: "owner", active: true });
  return (await trx.query(toStatement(owners.whereNot({ id: member.id }).limit(1).select("id")))).length === 0;
}

const note = ({ trx, scope }: WriteContext, event: string, detail: Record<string, unknown>) =>
  writeAuditEntry(trx, { event, organizationId: scope.organizationId, accountId: scope.userId, detail });
