import { createHash } from "node:crypto";
import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findRow } from "../../write/find.ts";
import type { WriteContext } from "../../write/write.ts";
import { type Queryable, writeAuditEntry } from "../audit.ts";
import type { Account } from "../login/sign-up.ts";
import {
  buildMemberRow,
  deleteMemberKeysAndApps,
  isLastOwner,
  type Role,
  removeMemberEvenIfLastOwner,
} from "../members/member.ts";
import { type ProviderUser, SignInRefused } from "./person.ts";

type Known = Pick<ProviderUser, "issuer" | "subject"> & { organizationId: string };

/** Returns the account of a user at the provider, if the user has signed in before. */
export async function findLinkedAccount(db: Queryable, person: Known): Promise<Account | undefined> {
  const { organizationId, issuer, subject } = person;
  const [account] = await db.query<Account>(
    toStatement(
      knex("oidcIdentity as i")
        .join("account as a", "a.id", "i.accountId")
        .where({ "i.organizationId": organizationId, "i.issuer": issuer, "i.subject": subject })
        .select("a.id", "a.email", "a.name"),
    ),
  );
  return account;
}

export async function isEmailTaken(db: Database, email: string): Promise<boolean> {
  return (await db.query(toStatement(knex("account").where({ email }).select("id")))).length > 0;
}

/**
 * Links a user at the provider with an account. Before the call, the account's holder must have proved their identity,
 * or the account must have just been created.
 * @throws SignInRefused if the user is linked with another account
 */
export async function linkIdentity(
  { trx, scope }: WriteContext,
  person: ProviderUser,
  accountId: string,
): Promise<void> {
  const { organizationId } = scope;
  const { issuer, subject } = person;
  const row = { organizationId, issuer, subject, accountId, createdAt: new Date() };
  const insert = knex("oidcIdentity").insert(row).onConflict(["organizationId", "issuer", "subject"]).ignore();
  const joined = await trx.query(toStatement(insert.returning("accountId")));
  const known = joined.length === 0 && (await findLinkedAccount(trx, { organizationId, issuer, subject }));
  if (known && known.id !== accountId) throw new SignInRefused("other_person");
  if (joined.length > 0)
    await writeAuditEntry(trx, { event: "oidc.joined", organizationId, accountId, detail: { issuer } });
}

/**
 * Makes the account a member with the role that the user's groups give. The last owner stays an owner.
 * @throws SignInRefused for a user who was removed in Trackway; such a user needs an invitation to return
 */
export async function addOrUpdateProviderMember(
  write: WriteContext,
  account: Account,
  role: Role | undefined,
): Promise<void> {
  const before = await findRow(write, "User", account.id);
  if (!before) createRow(write, "User", buildMemberRow(account, role ?? "member"));
  else if (!before.active) {
    if (!(await hasLeft(write, account.id))) throw new SignInRefused("removed");
    updateRow(write, "User", before, { active: true, role: role ?? "member" });
    await noteLeft(write, account.id, null);
  } else if (role && role !== before.role && !(role === "member" && (await isLastOwner(write, before)))) {
    updateRow(write, "User", before, { role });
    const { organizationId } = write.scope;
    const detail = { id: account.id, role, by: "oidc" };
    await writeAuditEntry(write.trx, { event: "member.role", organizationId, accountId: account.id, detail });
  }
}

/**
 * Removes the access of a user whose groups no longer allow access: membership, logins, keys and apps. The last owner
 * stays a member, but loses logins, keys and apps.
 * @returns the user whose claimed issues must be released
 */
export async function revokeMembershipAndAccess(write: WriteContext, accountId: string): Promise<string | undefined> {
  const member = await findRow(write, "User", accountId);
  await revokeAccess(write, accountId);
  if (!member?.active) return undefined;
  if (!(await isLastOwner(write, member))) await removeMemberEvenIfLastOwner(write, member);
  await noteLeft(write, accountId, new Date());
  const { organizationId } = write.scope;
  await writeAuditEntry(write.trx, { event: "oidc.left", organizationId, accountId, detail: {} });
  return member.id;
}

/** Revokes an account's logins through the provider, and the account's keys and connected apps in the organization. */
export async function revokeAccess(write: WriteContext, accountId: string, before?: Date): Promise<void> {
  await revokeProviderLogins(write.trx, { organizationId: write.scope.organizationId, accountId }, before);
  await deleteMemberKeysAndApps(write, accountId);
}

/** Revokes logins through the provider that began before a time. @returns the accounts of the revoked logins */
export async function revokeProviderLogins(
  trx: Queryable,
  which: { organizationId: string; accountId?: string; oidcSession?: string },
  before = new Date(),
): Promise<string[]> {
  const ending = knex("login")
    .where({ ...which, revokedAt: null })
    .where("createdAt", "<=", before)
    .update({ revokedAt: new Date() }, "accountId");
  return (await trx.query<{ accountId: string }>(toStatement(ending))).map(({ accountId }) => accountId);
}

const identities = ({ scope }: WriteContext, accountId: string) =>
  knex("oidcIdentity").where({ organizationId: scope.organizationId, accountId });

const hasLeft = async (write: WriteContext, accountId: string): Promise<boolean> =>
  (await write.trx.query(toStatement(identities(write, accountId).whereNotNull("leftAt").limit(1).select("leftAt"))))
    .length > 0;

const noteLeft = (write: WriteContext, accountId: string, leftAt: Date | null) =>
  write.trx.query(toStatement(identities(write, accountId).update({ leftAt })));

/** Time limit in ms, first for the user at the provider's pages, and then again for entering the password. */
export const PROVIDER_SIGN_IN_TIMEOUT_MS = 15 * 60 * 1000;

/**
 * A value that can be used once in an organization: the state of a running sign-in, a user who must still enter a
 * password, or a logout token. Stored as rows, because any server may handle the next request.
 */
interface Once {
  organizationId: string;
  kind: "state" | "person" | "logout";
  /** Values that the client must present. The server stores only a hash of the values. */
  parts: readonly string[];
}

/** Data stored with the value. */
interface Kept {
  returnTo: string | null;
  person: ProviderUser | null;
}

const hashOf = ({ kind, parts }: Once): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([kind, ...parts]))
    .digest();

/** Stores a value until it expires. @returns false if the value is already stored */
export async function storeSingleUseValue(
  db: Queryable,
  once: Once,
  until: Date,
  kept: Partial<Kept> = {},
): Promise<boolean> {
  const { organizationId } = once;
  const row = { organizationId, hash: hashOf(once), expiresAt: until, returnTo: kept.returnTo ?? null };
  const insert = knex("oidcOnce").insert({ ...row, person: kept.person ? JSON.stringify(kept.person) : null });
  const noted = await db.query(toStatement(insert.onConflict(["organizationId", "hash"]).ignore().returning("hash")));
  return noted.length > 0;
}

const rowOf = (once: Once) =>
  knex("oidcOnce")
    .where({ organizationId: once.organizationId, hash: hashOf(once) })
    .where("expiresAt", ">", getMonotonicDate());

/** Returns the stored data without deleting it. */
export async function readSingleUseValue(db: Queryable, once: Once): Promise<Kept | undefined> {
  const [found] = await db.query<Kept>(toStatement(rowOf(once).select("returnTo", "person")));
  return found;
}

/** Deletes and returns the data with a single statement, so that only the first of two concurrent requests succeeds. */
export async function consumeSingleUseValue(db: Queryable, once: Once): Promise<Kept | undefined> {
  const [taken] = await db.query<Kept>(toStatement(rowOf(once).delete(["returnTo", "person"])));
  return taken;
}
