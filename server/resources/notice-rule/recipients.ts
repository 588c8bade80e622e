import { knex, toStatement } from "../../../db/builder.ts";
import type { Queryable } from "../../accounts/audit.ts";
import type { MailServer } from "../../mail/mail.ts";

/** The addresses of a rule that notices go to, in lower case, and the others. */
export interface Recipients {
  to: string[];
  refused: string[];
}

/**
 * Decides who gets the notices of a rule. Through the operator's mail server they go to active members of the organization
 * alone: a stranger could have it write to anybody. An organization's own mail server writes to every address of the rule.
 */
export async function recipientsOf(
  db: Queryable,
  organizationId: string,
  { emails, server }: { emails: readonly string[]; server: MailServer },
): Promise<Recipients> {
  const named = [...new Set(emails.map((email) => email.toLowerCase()))];
  if (!server.shared) return { to: named, refused: [] };
  const members = knex("user")
    .where({ organizationId, active: true, app: false })
    .whereRaw("lower(email) = any(?::text[])", [named])
    .select({ email: knex.raw("lower(email)") });
  const found = new Set((await db.query<{ email: string }>(toStatement(members))).map(({ email }) => email));
  return { to: named.filter((email) => found.has(email)), refused: named.filter((email) => !found.has(email)) };
}
