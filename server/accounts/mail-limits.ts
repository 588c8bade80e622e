import { knex, toStatement } from "../../db/builder.ts";
import { DAY_MS, HOUR_MS } from "../../formats/time.ts";
import type { MailServer } from "../mail/mail.ts";
import type { Runtime } from "../runtime.ts";
import type { Queryable } from "./audit.ts";
import { enforceLimitsIfThrottling, enforceRateLimits, type RateLimit, toNetworkKey } from "./throttle.ts";

/**
 * Maximum number of emails that an organization may send per hour through the operator's mail server. An email counts
 * once for each recipient.
 */
const PER_ORGANIZATION = 200;
/**
 * Maximum number of invitations per network and hour. The same maximum applies to tests of notice rules, which are
 * counted separately.
 */
const PER_NETWORK = 60;
/**
 * Maximum number of invitations to one address per day through the operator's mail server, from all organizations
 * together.
 */
const INVITATIONS = 5;
/** Maximum notices per address and hour. */
const NOTICES = { proved: 60, unproved: 10 };

const refusal = (whose: string) =>
  `Too many emails ${whose} through the server's mail server; wait, or give the organization a mail server of its own.`;

const rateOfOrganization = (organizationId: string, times: number): RateLimit => ({
  of: ["emails of", organizationId],
  most: PER_ORGANIZATION,
  windowMs: HOUR_MS,
  refusal: refusal("of the organization"),
  times,
});

type Counting = Pick<Runtime, "db" | "config">;

/**
 * Counts a test of a notice rule that sends emails, against the limit of the caller's network. The notice itself is
 * sent after the response.
 * @throws rateLimited after too many tests from the network
 */
export const enforceNoticeTestLimit = (db: Queryable, address: string): Promise<void> =>
  enforceRateLimits(db, [
    { of: ["notice tests from", toNetworkKey(address)], most: PER_NETWORK, windowMs: HOUR_MS, refusal: TESTS },
  ]);

const TESTS = "Too many test notices were sent from your network; wait before you send the next one.";

/** An email that the server is about to send for an organization. */
interface Counted {
  organizationId: string;
  server: MailServer;
}

/**
 * Counts an invitation that is sent through the operator's mail server.
 * @throws rateLimited after too many emails of the organization, or too many invitations to the recipient or from the
 * network
 */
export async function enforceInvitationMailLimits(
  runtime: Counting,
  { organizationId, server, to, address }: Counted & { to: string; address: string },
): Promise<void> {
  if (!server.shared) return;
  await enforceLimitsIfThrottling(
    runtime,
    rateOfOrganization(organizationId, 1),
    { of: ["invitations to", to], most: INVITATIONS, windowMs: DAY_MS, refusal: refusal("to this address") },
    {
      of: ["invitations from", toNetworkKey(address)],
      most: PER_NETWORK,
      windowMs: HOUR_MS,
      refusal: refusal("from your network"),
    },
  );
}

/**
 * Counts a notice that is sent through the operator's mail server. If no account has proved an address, the address may
 * belong to a stranger and has a lower limit.
 * @throws rateLimited after too many emails of the organization, or too many notices to one recipient
 */
export async function enforceNoticeMailLimits(
  runtime: Counting,
  { organizationId, server, to }: Counted & { to: readonly string[] },
): Promise<void> {
  if (!server.shared || to.length === 0) return;
  const proved = knex("account").whereNotNull("emailProvedAt").whereIn("email", to).select("email");
  const emails = new Set((await runtime.db.query<{ email: string }>(toStatement(proved))).map(({ email }) => email));
  await enforceLimitsIfThrottling(
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
