import { knex, toStatement } from "../../db/builder.ts";
import { DAY_MS, HOUR_MS } from "../../formats/time.ts";
import type { MailServer } from "../mail/mail.ts";
import type { Runtime } from "../runtime.ts";
import type { Queryable } from "./audit.ts";
import { countAgainst, countRates, network, type Rate } from "./throttle.ts";

/** Emails of an organization in an hour, one for each recipient. */
const PER_ORGANIZATION = 200;
/** Invitations, and tests of rules, that requests of one network send in an hour. */
const PER_NETWORK = 60;
/** Invitations to one address in a day, from whichever organizations. */
const INVITATIONS = 5;
/** Notices to one address in an hour. */
const NOTICES = { proved: 60, unproved: 10 };

const refusal = (whose: string) =>
  `Too many emails ${whose} through the server's mail server; wait, or give the organization a mail server of its own.`;

const rateOfOrganization = (organizationId: string, times: number): Rate => ({
  of: ["emails of", organizationId],
  most: PER_ORGANIZATION,
  windowMs: HOUR_MS,
  refusal: refusal("of the organization"),
  times,
});

type Counting = Pick<Runtime, "db" | "config">;

/**
 * Counts a test of a rule that sends emails, by the network that asks for it: the notice itself goes out behind the request.
 * @throws rateLimited for too many of the network
 */
export const countNoticeTest = (db: Queryable, address: string): Promise<void> =>
  countRates(db, [
    { of: ["notice tests from", network(address)], most: PER_NETWORK, windowMs: HOUR_MS, refusal: TESTS },
  ]);

const TESTS = "Too many tests of notice rules from your network; wait before the next one.";

/** An email that is about to be sent for an organization. */
interface Counted {
  organizationId: string;
  server: MailServer;
}

/**
 * Counts an invitation that goes through the operator's mail server.
 * @throws rateLimited for too many of the organization, to the recipient, or from the network
 */
export async function countInvitation(
  runtime: Counting,
  { organizationId, server, to, address }: Counted & { to: string; address: string },
): Promise<void> {
  if (!server.shared) return;
  await countAgainst(
    runtime,
    rateOfOrganization(organizationId, 1),
    { of: ["invitations to", to], most: INVITATIONS, windowMs: DAY_MS, refusal: refusal("to this address") },
    {
      of: ["invitations from", network(address)],
      most: PER_NETWORK,
      windowMs: HOUR_MS,
      refusal: refusal("from your network"),
    },
  );
}

/**
 * Counts a notice that goes through the operator's mail server. The address of an account that nobody has proved may be a
 * stranger's: it gets fewer.
 * @throws rateLimited for too many of the organization or to one of the recipients
 */
export async function countNotice(
  runtime: Counting,
  { organizationId, server, to }: Counted & { to: readonly string[] },
): Promise<void> {
  if (!server.shared || to.length === 0) return;
  const proved = knex("account").whereNotNull("emailProvedAt").whereIn("email", to).select("email");
  const emails = new Set((await runtime.db.query<{ email: string }>(toStatement(proved))).map(({ email }) => email));
  await countAgainst(
    runtime,
    rateOfOrganization(organizationId, to.length),
    ...to.map((email) => ({
      of: ["notices to", email],
      most: emails.has(email) ? NOTICES.proved : NOTICES.unproved,
      windowMs: HOUR_MS,
      refusal: refusal("to one of the recipients"),
    })),
  );
}
