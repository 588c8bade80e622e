import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { getMonotonicDate, getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { hashKey } from "../../auth/key.ts";
import { AppError, conflict, forbidden, notFound } from "../../errors.ts";
import { plainLine, preventAutoLinks } from "../../mail/mail.ts";
import type { Runtime } from "../../runtime.ts";
import type { WriteContext } from "../../write/write.ts";
import { type Queryable, writeAuditEntry } from "../audit.ts";
import { lockAndCheckRowLimit, ROW_LIMITS } from "../bound.ts";
import { type Account, insertAccount } from "../login/sign-up.ts";
import { enforceInvitationMailLimits } from "../mail-limits.ts";
import { findEffectiveMailServer, sendMailWithSecret } from "../mail-server.ts";
import { addMember } from "./member.ts";

/** An invitation that is neither accepted nor expired. */
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

/** Query for invitations that are neither accepted nor expired. */
const openInvitations = (which: { organizationId: string } | { hash: Buffer }) =>
  knex("invitation")
    .where({ ...which, acceptedAt: null })
    .where("expiresAt", ">", getMonotonicDate());

/** Lifetime of an invitation: 7 days. */
const LIFE_MS = 7 * DAY_MS;

/**
 * Invites an email address. The token is returned only here; the caller delivers it.
 * @throws conflict `already_member`, or `limit_reached` at 500 open invitations.
 */
export function createInvitation(
  db: Database,
  { organizationId, userId }: Inviter,
  email: string,
): Promise<Invitation & { token: string }> {
  const token = randomBytes(32).toString("base64url");
  const now = getMonotonicEpochMs();
  const invitation = { id: uuidv7(), email, createdAt: new Date(now), expiresAt: new Date(now + LIFE_MS) };
  return db.transaction(async (trx) => {
    const member = await trx.query(
      toStatement(knex("user").where({ organizationId, email, active: true }).select("id")),
    );
    if (member.length > 0) throw conflict(`${email} is a member already.`, "already_member", "email");
    await lockAndCheckRowLimit(trx, "openInvitations", { organizationId, userId });
    const row = { ...invitation, hash: hashKey(token), organizationId, invitedBy: userId };
    await trx.query(toStatement(knex("invitation").insert(row)));
    const detail = { id: invitation.id, email };
    await writeAuditEntry(trx, { event: "invitation.created", organizationId, accountId: userId, detail });
    return { ...invitation, token };
  });
}

/** Lists the open invitations of an organization, newest first. */
export const listInvitations = (db: Database, organizationId: string): Promise<Invitation[]> =>
  db.query(
    toStatement(
      openInvitations({ organizationId })
        .orderBy("id", "desc")
        .limit(ROW_LIMITS.openInvitations.most)
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
    await writeAuditEntry(trx, { event: "invitation.withdrawn", organizationId, accountId: userId, detail: { id } });
  });
}

/** Maximum characters of an organization's name in an email. */
const NAME = 100;

/**
 * Sends an invitation by email, through the organization's own mail server or else the operator's. There is a single
 * attempt, because the inviter also has the link. `address` is the inviter's network address.
 * @returns whether the mail server accepted the email; false if a limit is exceeded
 */
export async function sendInvitationMail(
  runtime: Runtime,
  { organizationId, address }: { organizationId: string; address: string },
  { email, token }: Invitation & { token: string },
): Promise<boolean> {
  const server = await findEffectiveMailServer(runtime, organizationId).catch(() => undefined);
  if (!server || !(await isWithinLimits(runtime, { organizationId, server, to: email, address }))) return false;
  const named = knex("organization").where({ id: organizationId }).select("name");
  const [organization] = await runtime.db.query<{ name: string }>(toStatement(named));
  const name = preventAutoLinks(plainLine(organization?.name ?? "", NAME));
  const mail = {
    to: [email],
    subject: `Invitation to ${name} on Trackway`,
    paragraphs: [
      {
        text: `You are invited to join “${name}” on Trackway. Accept the invitation within 7 days:`,
        link: `${runtime.publicUrl}/#invitation=${token}`,
      },
      { text: "If you do not know who invited you, ignore this email." },
    ],
  };
  return sendMailWithSecret(runtime, server, mail, []);
}

/**
 * Counts the email, and returns whether the email may be sent. An email over a limit is not sent, because the inviter
 * also has the link.
 */
async function isWithinLimits(
  runtime: Runtime,
  email: Parameters<typeof enforceInvitationMailLimits>[1],
): Promise<boolean> {
  try {
    await enforceInvitationMailLimits(runtime, email);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === "ratelimited") return false;
    throw error;
  }
}

/**
 * Input for accepting an invitation. If a password hash is given, a new account accepts the invitation. Otherwise an
 * account that is signed in accepts the invitation.
 */
export interface InvitationAcceptance {
  /** Id of the account that is signed in, or the id that the new account will get. */
  accountId: string;
  name: string;
  passwordHash?: string;
  /** Must equal the invited address. */
  email?: string | undefined;
}

/**
 * Returns the organization of an open invitation.
 * @throws notFound for an unknown, used or expired token.
 */
export async function findInvitingOrganization(
  db: Queryable,
  token: string,
): Promise<{ organizationId: string; urlKey: string }> {
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
 * Makes an account a member of the organization that sent the invitation. An invitation can be used once, and only for
 * the invited email address.
 * @throws notFound for an unknown, used or expired token; forbidden `invitation_other_address`; conflict `email_taken`
 * if the user has an account and should log in.
 */
export async function acceptInvitation(
  write: WriteContext,
  token: string,
  acceptance: InvitationAcceptance,
): Promise<Account> {
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
  await writeAuditEntry(trx, {
    event: "invitation.accepted",
    organizationId: scope.organizationId,
    accountId,
    detail: { id },
  });
  return account;
}

/** Marks the invitation as accepted. Only one of two concurrent requests succeeds. */
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
  new AppError("not_found", "The invitation is unknown, already used, or expired.", { field: "token" });

const otherAddress = () => forbidden("The invitation is for another email address.", "invitation_other_address");
