import { createHash } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { create, update } from "../../write/change.ts";
import { find } from "../../write/find.ts";
import type { Write } from "../../write/write.ts";
import { audit, type Queryable } from "../audit.ts";
import type { Account } from "../login/sign-up.ts";
import { deleteKeys, isLastOwner, memberRow, type Role, removeActive } from "../members/member.ts";
import { type Person, SignInRefused } from "./person.ts";

type Known = Pick<Person, "issuer" | "subject"> & { organizationId: string };

/** The account of a person at the provider, if they have signed in before. */
export async function accountOf(db: Queryable, person: Known): Promise<Account | undefined> {
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

/** True for an address that an account has, whoever's it is. */
export async function isTaken(db: Database, email: string): Promise<boolean> {
  return (await db.query(toStatement(knex("account").where({ email }).select("id")))).length > 0;
}

/**
 * Joins a person at the provider to an account. The account's holder has proved to be it, or it was made just now.
 * @throws SignInRefused when the person has another account
 */
export async function joinIdentity({ trx, scope }: Write, person: Person, accountId: string): Promise<void> {
  const { organizationId } = scope;
  const { issuer, subject } = person;
  const row = { organizationId, issuer, subject, accountId, createdAt: new Date() };
  const insert = knex("oidcIdentity").insert(row).onConflict(["organizationId", "issuer", "subject"]).ignore();
  const joined = await trx.query(toStatement(insert.returning("accountId")));
  const known = joined.length === 0 && (await accountOf(trx, { organizationId, issuer, subject }));
  if (known && known.id !== accountId) throw new SignInRefused("other_person");
  if (joined.length > 0) await audit(trx, { event: "oidc.joined", organizationId, accountId, detail: { issuer } });
}

/**
 * Makes the account a member with the role of its groups. The last owner stays one.
 * @throws SignInRefused for who was removed here: only an invitation leads back
 */
export async function admitMember(write: Write, account: Account, role: Role | undefined): Promise<void> {
  const before = await find(write, "User", account.id);
  if (!before) create(write, "User", memberRow(account, role ?? "member"));
  else if (!before.active) {
    if (!(await hasLeft(write, account.id))) throw new SignInRefused("removed");
    update(write, "User", before, { active: true, role: role ?? "member" });
    await noteLeft(write, account.id, null);
  } else if (role && role !== before.role && !(role === "member" && (await isLastOwner(write, before)))) {
    update(write, "User", before, { role });
    const { organizationId } = write.scope;
    const detail = { id: account.id, role, by: "oidc" };
    await audit(write.trx, { event: "member.role", organizationId, accountId: account.id, detail });
  }
}

/**
 * Takes everything away from a person whose groups let them in no more: membership, logins, keys and programs. The last
 * owner stays a member, without what opens the organization.
 * @returns the user whose work has to be freed
 */
export async function expelMember(write: Write, accountId: string): Promise<string | undefined> {
  const member = await find(write, "User", accountId);
  await endAccess(write, accountId);
  if (!member?.active) return undefined;
  if (!(await isLastOwner(write, member))) await removeActive(write, member);
  await noteLeft(write, accountId, new Date());
  const { organizationId } = write.scope;
  await audit(write.trx, { event: "oidc.left", organizationId, accountId, detail: {} });
  return member.id;
}

/** Ends the logins by the provider, the keys and the connected programs of an account in the organization. */
export async function endAccess(write: Write, accountId: string, before?: Date): Promise<void> {
  await endLogins(write.trx, { organizationId: write.scope.organizationId, accountId }, before);
  await deleteKeys(write, accountId);
}

/** Ends logins that were begun by the provider before a moment. @returns their accounts */
export async function endLogins(
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

const identities = ({ scope }: Write, accountId: string) =>
  knex("oidcIdentity").where({ organizationId: scope.organizationId, accountId });

const hasLeft = async (write: Write, accountId: string): Promise<boolean> =>
  (await write.trx.query(toStatement(identities(write, accountId).whereNotNull("leftAt").limit(1).select("leftAt"))))
    .length > 0;

const noteLeft = (write: Write, accountId: string, leftAt: Date | null) =>
  write.trx.query(toStatement(identities(write, accountId).update({ leftAt })));

/** The time that a person has at the provider's pages, and then for their password. */
export const PATIENCE_MS = 15 * 60 * 1000;

/**
 * Something that counts once, in one organization: the state of a sign-in that was begun, a person who has yet to give
 * their password, a logout token. Rows, since any server may be asked the next time.
 */
interface Once {
  organizationId: string;
  kind: "state" | "person" | "logout";
  /** All that has to be presented. Only a hash of it is stored. */
  parts: readonly string[];
}

/** The values that are kept with it. */
interface Kept {
  returnTo: string | null;
  person: Person | null;
}

const hashOf = ({ kind, parts }: Once): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([kind, ...parts]))
    .digest();

/** Notes something until a moment. @returns false when it is there already */
export async function noteOnce(db: Queryable, once: Once, until: Date, kept: Partial<Kept> = {}): Promise<boolean> {
  const { organizationId } = once;
  const row = { organizationId, hash: hashOf(once), expiresAt: until, returnTo: kept.returnTo ?? null };
  const insert = knex("oidcOnce").insert({ ...row, person: kept.person ? JSON.stringify(kept.person) : null });
  const noted = await db.query(toStatement(insert.onConflict(["organizationId", "hash"]).ignore().returning("hash")));
  return noted.length > 0;
}

const rowOf = (once: Once) =>
  knex("oidcOnce")
    .where({ organizationId: once.organizationId, hash: hashOf(once) })
    .where("expiresAt", ">", new Date());

/** Reads what was noted, and leaves it there. */
export async function readOnce(db: Queryable, once: Once): Promise<Kept | undefined> {
  const [found] = await db.query<Kept>(toStatement(rowOf(once).select("returnTo", "person")));
  return found;
}

/** Removes and reads in one statement: of two that come at once, one finds it. */
export async function takeOnce(db: Queryable, once: Once): Promise<Kept | undefined> {
  const [taken] = await db.query<Kept>(toStatement(rowOf(once).delete(["returnTo", "person"])));
  return taken;
}
