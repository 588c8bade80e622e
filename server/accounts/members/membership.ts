import { compiled, knex, toStatement } from "../../../db/builder.ts";
import { notFound } from "../../errors.ts";
import type { Queryable } from "../audit.ts";

/** Decides the organization of new tokens: the one asked for, else one to prefer, else the last used. */
export interface Choice {
  accountId: string;
  /** urlKey of the organization asked for. */
  organization?: string | undefined;
  preferredId?: string | null;
}

/**
 * Chooses the organization that new tokens carry, and remembers it as the account's last used. Each that is likely is
 * asked for alone, since its rows may lie on a node of their own; all of them only when none of these is the account's.
 * @returns its id, or null when the account belongs to none.
 * @throws notFound when the one asked for is not the account's, or is nobody's: the same words.
 */
export async function chooseOrganization(db: Queryable, choice: Choice): Promise<string | null> {
  const { accountId, organization } = choice;
  const [named] = await db.query<Named>(namedFor({ accountId, organization }));
  const chosen = await chooseAmong(db, choice, named);
  if (!chosen && organization) throw notFound("organization", organization);
  if (chosen && chosen !== named?.lastId) await rememberOrganization(db, accountId, chosen);
  return chosen ?? null;
}

/** Makes an organization the account's last used. */
export async function rememberOrganization(db: Queryable, accountId: string, organizationId: string): Promise<void> {
  await db.query(toStatement(knex("account").where({ id: accountId }).update({ lastOrganizationId: organizationId })));
}

async function chooseAmong(db: Queryable, choice: Choice, named: Named | undefined): Promise<string | undefined> {
  const { accountId, organization, preferredId } = choice;
  for (const id of organization ? [named?.askedId] : [preferredId, named?.lastId]) {
    if (id && (await db.query(membership({ organizationId: id, accountId }))).length > 0) return id;
  }
  if (organization) return undefined;
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
    .select("id"),
);

const firstJoined = compiled("first-joined", ["accountId"], (member) =>
  knex("user")
    .where({ ...member, active: true })
    .orderBy("createdAt")
    .limit(1)
    .select("organizationId as id"),
);
