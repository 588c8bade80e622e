import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { hashKey } from "../../auth/key.ts";
import { conflict, notFound } from "../../errors.ts";
import { audit } from "../audit.ts";
import { BOUNDS, takeRoom } from "../bound.ts";

/** An invitation that is neither accepted nor past its time. */
export interface Invitation {
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
export const openInvitations = (which: { organizationId: string } | { hash: Buffer }) =>
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
