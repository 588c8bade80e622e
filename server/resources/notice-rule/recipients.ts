import type { Queryable } from "../../accounts/audit.ts";

/** Reason why an address of a rule gets no email. */
type Reason = "left" | "stranger";

/**
 * Raw SQL, because a computed field and the sender share the fragment: the addresses of a rule, each with the reason
 * why the address gets no email, or null. The server's own mail server sends only to active members; an
 * organization's own mail server also sends to other addresses. Neither sends to a former member.
 */
const recipientsSql = (organization: string, emails: string): string => `(
  select e.address, lower(m.email) as member, e.at, case when m.active then null when m.active = false then 'left'
      when not exists (select from "mailServer" s where s."organizationId" = ${organization}) then 'stranger' end as reason
    from unnest(${emails}) with ordinality e (address, at)
    left join lateral (select u.active, u.email from "user" u
      where u."organizationId" = ${organization} and lower(u.email) = lower(e.address) and not u.app
      order by u.active desc limit 1) m on true)`;

const WORDS: Readonly<Record<Reason, string>> = {
  left: "has left the organization",
  stranger: "is not a member, and the organization has no mail server of its own",
};

/**
 * SQL for a sentence with the addresses of a rule that get no email, and the reasons; null if every address gets
 * email.
 */
export const unmailedAddressesSql = (organization: string, emails: string): string => `(
  select string_agg(r.address || case r.reason when 'left' then ' ${WORDS.left}' else ' ${WORDS.stranger}' end, '; ' order by r.at)
    || ': nothing is mailed there' from ${recipientsSql(organization, emails)} r where r.reason is not null)`;

/** Addresses that currently receive a rule's messages. */
export interface Recipients {
  to: string[];
  /**
   * Reason why none of the addresses gets email. The text does not contain the addresses, because the text stays in the
   * delivery log.
   */
  nobody: string;
}

/** Returns the addresses of a rule that currently get email. */
export async function resolveRecipients(
  db: Queryable,
  organizationId: string,
  emails: readonly string[],
): Promise<Recipients> {
  const rows = await db.query<{ address: string; reason: Reason | null }>({
    name: "notice-recipients",
    text: `select coalesce(member, address) as address, reason from ${recipientsSql("$1::uuid", "$2::text[]")} r order by at`,
    values: [organizationId, emails],
  });
  const many = (reason: Reason) => rows.filter((row) => row.reason === reason).length;
  const skipped = (["left", "stranger"] as const).filter(many).map((reason) => `${many(reason)} ${WORDS[reason]}`);
  const mailed = rows.filter(({ reason }) => reason === null).map(({ address }) => address);
  return {
    // Two spellings of an address count as a single recipient, in the account's spelling.
    to: [...new Set(mailed)],
    nobody: `none of its addresses gets mail: ${skipped.join("; ") || "it has none"}`,
  };
}
