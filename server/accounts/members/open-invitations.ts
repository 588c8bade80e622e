import { knex } from "../../../db/builder.ts";

/** Invitations that are neither accepted nor past their time. */
export const openInvitations = (which: { organizationId: string } | { hash: Buffer }) =>
  knex("invitation")
    .where({ ...which, acceptedAt: null })
    .where("expiresAt", ">", new Date());
