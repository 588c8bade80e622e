import { knex, toStatement } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { hashKey } from "../../auth/key.ts";
import { AppError, forbidden, notFound } from "../../errors.ts";
import type { Write } from "../../write/write.ts";
import { audit, type Queryable } from "../audit.ts";
import { type Account, insertAccount } from "../login/sign-up.ts";
import { openInvitations } from "./invitation.ts";
import { addMember } from "./member.ts";

/** A person's acceptance: with the account they are logged in to, or with a new one when there is a password. */
export interface Acceptance {
  /** The account's id, also of one that is made. */
  accountId: string;
  name: string;
  passwordHash?: string;
  /** Must be the invited address. */
  email?: string | undefined;
}

/**
 * The organization an open invitation leads to.
 * @throws notFound for a token that is unknown, used or past its time.
 */
export async function invitedTo(db: Queryable, token: string): Promise<{ organizationId: string; urlKey: string }> {
  const [invitation] = await db.query<{ organizationId: string; urlKey: string }>(
    toStatement(
      openInvitations({ hash: hashKey(token) })
        .join("organization", "organization.id", "organizationId")
        .select("organizationId", "urlKey"),
    ),
  );
  if (!invitation) throw noInvitation();
  return invitation;
}

/**
 * Joins the organization of an invitation, which counts once and for its address alone.
 * @throws notFound for a token that is unknown, used or past its time; forbidden `invitation_other_address`;
 * conflict `email_taken` when an account should log in instead of signing up.
 */
export async function acceptInvitation(write: Write, token: string, acceptance: Acceptance): Promise<Account> {
  const { trx, scope } = write;
  write.direct = true;
  const { id, email } = await take(trx, token);
  if ((acceptance.email ?? email) !== email) throw otherAddress();
  const { accountId, passwordHash, name } = acceptance;
  const account = passwordHash
    ? await insertAccount(trx, { id: accountId, email, name, passwordHash })
    : await accountOf(trx, accountId);
  if (account.email !== email) throw otherAddress();
  await addMember(write, account);
  await audit(trx, { event: "invitation.accepted", organizationId: scope.organizationId, accountId, detail: { id } });
  return account;
}

/** Marks the invitation as accepted, which only one of two at once can do. */
async function take(trx: Transaction, token: string): Promise<{ id: string; email: string }> {
  const acceptance = openInvitations({ hash: hashKey(token) }).update({ acceptedAt: new Date() }, ["id", "email"]);
  const [invitation] = await trx.query<{ id: string; email: string }>(toStatement(acceptance));
  if (!invitation) throw noInvitation();
  return invitation;
}

async function accountOf(trx: Transaction, id: string): Promise<Account> {
  const [account] = await trx.query<Account>(toStatement(knex("account").where({ id }).select("id", "email", "name")));
  if (!account) throw notFound("account", id);
  return account;
}

const noInvitation = () =>
  new AppError("not_found", "The invitation is unknown, was used, or is past its time.", { field: "token" });

const otherAddress = () => forbidden("The invitation is for another e-mail address.", "invitation_other_address");
