import { compiled, knex, toStatement } from "../../../db/builder.ts";
import { takesPasswords } from "../../auth/password-rule.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Queryable } from "../audit.ts";

/** Decides the organization of new tokens: the one asked for, else one to prefer, else the last used. */
export interface Choice {
  accountId: string;
  /** urlKey of the organization asked for. */
  organization?: string | undefined;
  preferredId?: string | null;
  /** The one organization that a login by its OpenID provider opens. */
  boundTo?: string | null;
}

/**
 * Chooses the organization that new tokens carry, and remembers it as the account's last used. Each that is likely is
 * asked for alone, since its rows may lie on a node of their own; all of them only when none of these is the account's.
 * @returns its id, or null when the account belongs to none.
 * @throws notFound when the one asked for is not the account's, or is nobody's: the same words; forbidden
 * `oidc_required` when it is opened by its OpenID provider alone.
 */
export async function chooseOrganization(db: Queryable, choice: Choice): Promise<string | null> {
  const { accountId, organization } = choice;
  const [named] = await db.query<Named>(namedFor({ accountId, organization }));
  const chosen = await chooseAmong(db, choice, named);
  if (!chosen && organization) throw notFound("organization", organization);
  if (chosen && chosen !== named?.lastId && !choice.boundTo) await rememberOrganization(db, accountId, chosen);
  return chosen ?? null;
}

/** Makes an organization the account's last used. */
export async function rememberOrganization(db: Queryable, accountId: string, organizationId: string): Promise<void> {
  await db.query(toStatement(knex("account").where({ id: accountId }).update({ lastOrganizationId: organizationId })));
}

async function chooseAmong(db: Queryable, choice: Choice, named: Named | undefined): Promise<string | undefined> {
  const { accountId, organization, preferredId, boundTo } = choice;
  for (const id of organization ? [named?.askedId] : [boundTo ?? preferredId, named?.lastId]) {
    if (!id || (boundTo && id !== boundTo)) continue;
    const [member] = await db.query<{ open: boolean }>(membership({ organizationId: id, accountId }));
    if (member && (member.open || boundTo)) return id;
    if (member && organization) throw forbidden("Sign in to this organization with your company.", "oidc_required");
  }
  if (organization || boundTo) return undefined;
  const [first] = await db.query<{ id: string }>(firstJoined({ accountId }));
  return first?.id;
}

/** The organizations that a choice names. */
interface Named {
  lastId: string | null;
  askedId: string | null;
}

const namedFor = compiled("organizations-named", ["accountId", "organization"], ({ accountId, organization }) =>
  knex("account as a")
    .leftJoin("organization as o", (on) => on.onVal("o.urlKey", organization))
    .where("a.id", accountId)
    .select("a.lastOrganizationId as lastId", "o.id as askedId"),
);

const membership = compiled("is-member", ["organizationId", "accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .select({ open: knex.raw(takesPasswords('"user"."organizationId"')) }),
);

const firstJoined = compiled("first-joined", ["accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .whereRaw(takesPasswords('"user"."organizationId"'))
    .orderBy("createdAt")
    .limit(1)
    .select("organizationId as id"),
);
