import { knex, toStatement } from "../../db/builder.ts";
import { DAY_MS, HOUR_MS } from "../../formats/time.ts";
import type { MailServer } from "../mail/mail.ts";
import type { Runtime } from "../runtime.ts";
import type { Queryable } from "./audit.ts";
import { countAgainstLimits, enforceLimits, type RateLimit, toNetworkKey } from "./throttle.ts";

/** Maximum emails of an organization per hour, counted per recipient. */
const PER_ORGANIZATION = 200;
/** Maximum invitations, and maximum tests of rules, per network and hour. */
const PER_NETWORK = 60;
/** Maximum invitations per address and day, from all organizations. */
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
 * Counts a test of a rule that sends emails, for the caller's network. The notice itself is sent after the response.
 * @throws rateLimited after too many tests from the network
 */
export const countNoticeTest = (db: Queryable, address: string): Promise<void> =>
  enforceLimits(db, [
    { of: ["notice tests from", toNetworkKey(address)], most: PER_NETWORK, windowMs: HOUR_MS, refusal: TESTS },
  ]);

const TESTS = "Your network tested notice rules too often; wait before the next test.";

/** An email that the server is about to send for an organization. */
interface Counted {
  organizationId: string;
  server: MailServer;
}

/**
 * Counts an invitation that is sent through the operator's mail server.
 * @throws rateLimited after too many invitations of the organization, to the recipient, or from the network
 */
export async function countInvitation(
  runtime: Counting,
  { organizationId, server, to, address }: Counted & { to: string; address: string },
): Promise<void> {
  if (!server.shared) return;
  await countAgainstLimits(
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
 * Counts a notice that is sent through the operator's mail server. An address that no account has proved may belong
 * to a stranger and has a lower limit.
 * @throws rateLimited after too many notices of the organization or to a recipient
 */
export async function countNotice(
  runtime: Counting,
  { organizationId, server, to }: Counted & { to: readonly string[] },
): Promise<void> {
  if (!server.shared || to.length === 0) return;
  const proved = knex("account").whereNotNull("emailProvedAt").whereIn("email", to).select("email");
  const emails = new Set((await runtime.db.query<{ email: string }>(toStatement(proved))).map(({ email }) => email));
  await countAgainstLimits(
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
