import { compileStatement, knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { allowsPasswordsSql } from "../../auth/principal.ts";
import { conflict, forbidden, notFound } from "../../errors.ts";
import { create, update } from "../../write/change.ts";
import { findRow, findTarget } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { audit, type Queryable } from "../audit.ts";
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
 * Chooses the organization of new tokens, and stores it as the account's last used organization. Likely organizations
 * are checked one at a time, because each may be on its own database node. The account's other organizations are read
 * only if no check succeeds.
 * @returns the organization's id, or null if the account belongs to none.
 * @throws notFound with the same message for an unknown organization and for an organization without the account;
 * forbidden `oidc_required` if the organization requires its OpenID provider.
 */
export async function chooseOrganization(db: Queryable, choice: Choice): Promise<string | null> {
  const { accountId, organization } = choice;
  const [named] = await db.query<Named>(namedFor({ accountId, organization }));
  const chosen = await chooseAmong(db, choice, named);
  if (!chosen && organization) throw notFound("organization", organization);
  if (chosen && chosen !== named?.lastId && !choice.boundTo) await rememberOrganization(db, accountId, chosen);
  return chosen ?? null;
}

/** Stores an organization as the account's last used. */
export async function rememberOrganization(db: Queryable, accountId: string, organizationId: string): Promise<void> {
  await db.query(toStatement(knex("account").where({ id: accountId }).update({ lastOrganizationId: organizationId })));
}

async function chooseAmong(db: Queryable, choice: Choice, named: Named | undefined): Promise<string | undefined> {
  const { accountId, organization, preferredId, boundTo } = choice;
  for (const id of organization ? [named?.askedId] : [boundTo ?? preferredId, named?.lastId]) {
    if (!id || (boundTo && id !== boundTo)) continue;
    const [member] = await db.query<{ open: boolean }>(membership({ organizationId: id, accountId }));
    if (member && (member.open || boundTo)) return id;
    if (member && organization) throw forbidden("Sign in to this organization with your company.", "oidc_required");
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

const namedFor = compileStatement("organizations-named", ["accountId", "organization"], ({ accountId, organization }) =>
  knex("account as a")
    .leftJoin("organization as o", (on) => on.onVal("o.urlKey", organization))
    .where("a.id", accountId)
    .select("a.lastOrganizationId as lastId", "o.id as askedId"),
);

const membership = compileStatement("is-member", ["organizationId", "accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .select({ open: knex.raw(allowsPasswordsSql('"user"."organizationId"')) }),
);

const firstJoined = compileStatement("first-joined", ["accountId"], (member) =>
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
export async function addMember(write: Write, account: Account): Promise<void> {
  const before = await findRow(write, "User", account.id);
  if (!before) create(write, "User", buildMemberRow(account, "member"));
  else if (!before.active) update(write, "User", before, { active: true, role: "member" });
}

/** Lists the members of an organization in the order in which they joined, 250 per page. */
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
 * Changes a member's role. Call `credentialsRevoked` after the commit.
 * @throws notFound; conflict `last_owner` if the organization would have no owner.
 */
export async function setRole(write: Write, id: string, role: Role): Promise<void> {
  const member = await activeMember(write, id);
  if (role !== "owner") await keepAnOwner(write, member);
  update(write, "User", member, { role });
  await note(write, "member.role", { id, role });
}

/**
 * Removes a member and revokes the member's access to the organization: tokens, keys and connected apps. The member's
 * issues and comments stay. Call `credentialsRevoked` after the commit.
 * @throws notFound; conflict `last_owner` if the organization would have no owner.
 */
export async function removeMember(write: Write, id: string): Promise<void> {
  const member = await activeMember(write, id);
  await keepAnOwner(write, member);
  await removeMemberUnchecked(write, member);
}

/** Removes a member without checking for the last owner. */
export async function removeMemberUnchecked(write: Write, member: Found<"User">): Promise<void> {
  update(write, "User", member, { active: false });
  await deleteKeys(write, member.id);
  await note(write, "member.removed", { id: member.id });
}

/** Deletes a member's personal keys, and revokes the member's connected apps. */
export async function deleteKeys({ trx, scope }: Write, userId: string): Promise<void> {
  const { organizationId } = scope;
  for (const table of ["apiKey", "oauthCode", "oauthGrant"])
    await trx.query(toStatement(knex(table).where({ organizationId, userId }).delete()));
}

async function activeMember(write: Write, id: string): Promise<Found<"User">> {
  const member = await findTarget(write, "User", id);
  if (!member.active || member.app) throw notFound("user", id);
  return member;
}

async function keepAnOwner(write: Write, member: Found<"User">): Promise<void> {
  if (!(await isLastOwner(write, member))) return;
  throw conflict("An organization needs an owner: make another member one first.", "last_owner");
}

/**
 * The mutation blocks the organization's other writers, so two owners who remove each other at the same time cannot
 * both succeed.
 */
export async function isLastOwner({ trx, scope }: Write, member: Found<"User">): Promise<boolean> {
  if (member.role !== "owner") return false;
  const owners = knex("user").where({ organizationId: scope.organizationId, role: "owner", active: true });
  return (await trx.query(toStatement(owners.whereNot({ id: member.id }).limit(1).select("id")))).length === 0;
}

const note = ({ trx, scope }: Write, event: string, detail: Record<string, unknown>) =>
  audit(trx, { event, organizationId: scope.organizationId, accountId: scope.userId, detail });
