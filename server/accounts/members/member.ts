import { compiled, knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { takesPasswords } from "../../auth/principal.ts";
import { conflict, forbidden, notFound } from "../../errors.ts";
import { create, update } from "../../write/change.ts";
import { find, target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { audit, type Queryable } from "../audit.ts";
import type { Account } from "../login/sign-up.ts";

/** Decides the organization of new tokens: the one asked for, else one to prefer, else the last used. */
interface Choice {
  accountId: string;
  /** urlKey of the organization asked for. */
  organization?: string | undefined;
  preferredId?: string | null;
  /** The one organization that a login by its OpenID provider opens. */
  boundTo?: string | null;
}

/**
 * Chooses the organization that new tokens carry, and remembers it as the account's last used. Each that is likely is
 * asked for alone, since its rows may lie on a node of their own; all of them only when none of these is the account's.
 * @returns its id, or null when the account belongs to none.
 * @throws notFound when the one asked for is not the account's, or is nobody's: the same words; forbidden
 * `oidc_required` when it is opened by its OpenID provider alone.
 */
export async function chooseOrganization(db: Queryable, choice: Choice): Promise<string | null> {
  const { accountId, organization } = choice;
  const [named] = await db.query<Named>(namedFor({ accountId, organization }));
  const chosen = await chooseAmong(db, choice, named);
  if (!chosen && organization) throw notFound("organization", organization);
  if (chosen && chosen !== named?.lastId && !choice.boundTo) await rememberOrganization(db, accountId, chosen);
  return chosen ?? null;
}

/** Makes an organization the account's last used. */
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

/** The organizations that a choice names. */
interface Named {
  lastId: string | null;
  askedId: string | null;
}

const namedFor = compiled("organizations-named", ["accountId", "organization"], ({ accountId, organization }) =>
  knex("account as a")
    .leftJoin("organization as o", (on) => on.onVal("o.urlKey", organization))
    .where("a.id", accountId)
    .select("a.lastOrganizationId as lastId", "o.id as askedId"),
);

const membership = compiled("is-member", ["organizationId", "accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .select({ open: knex.raw(takesPasswords('"user"."organizationId"')) }),
);

const firstJoined = compiled("first-joined", ["accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .whereRaw(takesPasswords('"user"."organizationId"'))
    .orderBy("createdAt")
    .limit(1)
    .select("organizationId as id"),
);

/** A member's rights. Only owners manage webhooks, ingest keys, invitations, members and the organization. */
export type Role = "owner" | "member";

/** A member as the others see one. */
interface MemberView {
  id: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
}

/** Members shown at once; the rest follow by `after`. */
const PAGE = 250;

/**
 * The row of a new member. The member's id is the account's, so that a person has one id from sign-up on.
 */
export const memberRow = ({ id, name, email }: Account, role: Role) => ({
  id,
  accountId: id,
  role,
  active: true,
  app: false,
  name,
  displayName: email.split("@")[0] ?? email,
  email,
});

/** Makes an account a member. One who was removed comes back as the same user, with no more than a member's rights. */
export async function addMember(write: Write, account: Account): Promise<void> {
  const before = await find(write, "User", account.id);
  if (!before) create(write, "User", memberRow(account, "member"));
  else if (!before.active) update(write, "User", before, { active: true, role: "member" });
}

/** The members of an organization, in the order they joined, 250 at a time. */
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

/** One member. @throws notFound. */
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
 * Gives a member another role. Call `credentialsRevoked` once it is committed.
 * @throws notFound; conflict `last_owner` when nobody would own the organization.
 */
export async function setRole(write: Write, id: string, role: Role): Promise<void> {
  const member = await activeMember(write, id);
  if (role !== "owner") await keepAnOwner(write, member);
  update(write, "User", member, { role });
  await note(write, "member.role", { id, role });
}

/**
 * Removes a member: their tokens, keys and connected programs no longer open the organization, their texts stay. Call
 * `credentialsRevoked` after the commit.
 * @throws notFound; conflict `last_owner` when nobody would own the organization.
 */
export async function removeMember(write: Write, id: string): Promise<void> {
  const member = await activeMember(write, id);
  await keepAnOwner(write, member);
  await removeActive(write, member);
}

/** The same for a member who is no last owner. */
export async function removeActive(write: Write, member: Found<"User">): Promise<void> {
  update(write, "User", member, { active: false });
  await deleteKeys(write, member.id);
  await note(write, "member.removed", { id: member.id });
}

/** Deletes the personal keys of a member, and ends the programs that they connected. */
export async function deleteKeys({ trx, scope }: Write, userId: string): Promise<void> {
  const { organizationId } = scope;
  for (const table of ["apiKey", "oauthCode", "oauthGrant"])
    await trx.query(toStatement(knex(table).where({ organizationId, userId }).delete()));
}

async function activeMember(write: Write, id: string): Promise<Found<"User">> {
  const member = await target(write, "User", id);
  if (!member.active || member.app) throw notFound("user", id);
  return member;
}

async function keepAnOwner(write: Write, member: Found<"User">): Promise<void> {
  if (!(await isLastOwner(write, member))) return;
  throw conflict("An organization needs an owner: make another member one first.", "last_owner");
}

/** The organization's other writers wait meanwhile, so two owners who remove each other at once do not both succeed. */
export async function isLastOwner({ trx, scope }: Write, member: Found<"User">): Promise<boolean> {
  if (member.role !== "owner") return false;
  const owners = knex("user").where({ organizationId: scope.organizationId, role: "owner", active: true });
  return (await trx.query(toStatement(owners.whereNot({ id: member.id }).limit(1).select("id")))).length === 0;
}

const note = ({ trx, scope }: Write, event: string, detail: Record<string, unknown>) =>
  audit(trx, { event, organizationId: scope.organizationId, accountId: scope.userId, detail });
