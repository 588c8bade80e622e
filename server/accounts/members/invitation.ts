import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { hashKey } from "../../auth/key.ts";
import { AppError, conflict, forbidden, notFound } from "../../errors.ts";
import { plainLine, withoutLinks } from "../../mail/mail.ts";
import type { Runtime } from "../../runtime.ts";
import type { Write } from "../../write/write.ts";
import { audit, type Queryable } from "../audit.ts";
import { BOUNDS, takeRoom } from "../bound.ts";
import { type Account, insertAccount } from "../login/sign-up.ts";
import { countInvitation } from "../mail-limits.ts";
import { mailServerOf, mailSoon } from "../mail-server.ts";
import { addMember } from "./member.ts";

/** An invitation that is neither accepted nor past its time. */
interface Invitation {
  id: string;
  email: string;
  createdAt: Date;
  expiresAt: Date;
}

interface Inviter {
  organizationId: string;
  userId: string;
}

/** Invitations that are neither accepted nor past their time. */
const openInvitations = (which: { organizationId: string } | { hash: Buffer }) =>
  knex("invitation")
    .where({ ...which, acceptedAt: null })
    .where("expiresAt", ">", new Date());

/** The life of an invitation: 7 days. */
const LIFE_MS = 7 * DAY_MS;

/**
 * Invites an e-mail address. The token is shown here and never again; delivering it is up to the caller.
 * @throws conflict `already_member`, or `limit_reached` at 500 open invitations.
 */
export function invite(
  db: Database,
  { organizationId, userId }: Inviter,
  email: string,
): Promise<Invitation & { token: string }> {
  const token = randomBytes(32).toString("base64url");
  const now = Date.now();
  const invitation = { id: uuidv7(), email, createdAt: new Date(now), expiresAt: new Date(now + LIFE_MS) };
  return db.transaction(async (trx) => {
    const member = await trx.query(
      toStatement(knex("user").where({ organizationId, email, active: true }).select("id")),
    );
    if (member.length > 0) throw conflict(`${email} is a member already.`, "already_member", "email");
    await takeRoom(trx, "openInvitations", { organizationId, userId });
    const row = { ...invitation, hash: hashKey(token), organizationId, invitedBy: userId };
    await trx.query(toStatement(knex("invitation").insert(row)));
    const detail = { id: invitation.id, email };
    await audit(trx, { event: "invitation.created", organizationId, accountId: userId, detail });
    return { ...invitation, token };
  });
}

/** The open invitations of an organization, newest first. */
export const listInvitations = (db: Database, organizationId: string): Promise<Invitation[]> =>
  db.query(
    toStatement(
      openInvitations({ organizationId })
        .orderBy("id", "desc")
        .limit(BOUNDS.openInvitations.most)
        .select("id", "email", "createdAt", "expiresAt"),
    ),
  );

/**
 * Withdraws an open invitation.
 * @throws notFound.
 */
export async function withdrawInvitation(db: Database, { organizationId, userId }: Inviter, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const removal = knex("invitation").where({ organizationId, id, acceptedAt: null }).delete("id");
    const gone = await trx.query(toStatement(removal));
    if (gone.length === 0) throw notFound("invitation", id);
    await audit(trx, { event: "invitation.withdrawn", organizationId, accountId: userId, detail: { id } });
  });
}

/** Characters of an organization's name in a mail. */
const NAME = 100;

/**
 * Mails an invitation to whom it is for, by the organization's mail server or else the server's, in one attempt: the
 * inviter has the link too. `address` is the inviter's.
 * @returns whether a server took it; false over a limit, too
 */
export async function mailInvitation(
  runtime: Runtime,
  { organizationId, address }: { organizationId: string; address: string },
  { email, token }: Invitation & { token: string },
): Promise<boolean> {
  const server = await mailServerOf(runtime, organizationId).catch(() => undefined);
  if (!server || !(await isWithinLimits(runtime, { organizationId, server, to: email, address }))) return false;
  const named = knex("organization").where({ id: organizationId }).select("name");
  const [organization] = await runtime.db.query<{ name: string }>(toStatement(named));
  const name = withoutLinks(plainLine(organization?.name ?? "", NAME));
  const mail = {
    to: [email],
    subject: `Invitation to ${name} on Trackway`,
    paragraphs: [
      { text: `You are invited to “${name}”. Join within 7 days:`, link: `${runtime.publicUrl}/#invitation=${token}` },
      { text: "Do you not know who invites you? Then do nothing." },
    ],
  };
  return mailSoon(runtime, server, mail, []);
}

/** Counts the email. One that is over a limit is not sent: the inviter has the link. */
async function isWithinLimits(runtime: Runtime, email: Parameters<typeof countInvitation>[1]): Promise<boolean> {
  try {
    await countInvitation(runtime, email);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === "ratelimited") return false;
    throw error;
  }
}

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
