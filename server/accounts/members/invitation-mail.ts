import { knex, toStatement } from "../../../db/builder.ts";
import { plainLine } from "../../mail/mail.ts";
import type { Runtime } from "../../runtime.ts";
import { mailServerOf } from "../mail/mail-server.ts";
import { mailSoon } from "../mail/soon.ts";
import type { Invitation } from "./invitation.ts";

/** Characters of an organization's name in a mail. */
const NAME = 100;

/**
 * Mails an invitation to whom it is for, by the organization's mail server or else the server's, in one attempt: the
 * inviter has the link too.
 * @returns whether a server took it
 */
export async function mailInvitation(
  runtime: Runtime,
  organizationId: string,
  { email, token }: Invitation & { token: string },
): Promise<boolean> {
  const server = await mailServerOf(runtime, organizationId).catch(() => undefined);
  if (!server) return false;
  const named = knex("organization").where({ id: organizationId }).select("name");
  const [organization] = await runtime.db.query<{ name: string }>(toStatement(named));
  const name = plainLine(organization?.name ?? "", NAME);
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
