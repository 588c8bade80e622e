import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { isSameReceiver, requireSameReceiver } from "../../auth/receiver.ts";
import { openSecret, sealSecret } from "../../auth/secret.ts";
import { conflict, notFound } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { audit } from "../audit.ts";
import type { Role } from "../members/member.ts";

/** The role that a group of the provider gives. */
export interface GroupRole {
  group: string;
  role: Role;
}

/** The OpenID provider of an organization, as its owners see it: without the client's secret. */
export interface OidcProvider {
  issuer: string;
  clientId: string;
  /** Domains of the e-mail addresses that it may sign in. */
  domains: string[];
  /** The claim that holds a person's groups. */
  groupsClaim: string;
  /** Empty: everybody whom the provider signs in is a member. Otherwise nobody is whose groups are not named here. */
  groupRoles: GroupRole[];
  /** True when passwords do not open the organization. */
  required: boolean;
}

/** The provider as sign-in uses it. */
export interface SignInProvider extends OidcProvider {
  organizationId: string;
  organizationName: string;
  urlKey: string;
  secret: string;
}

const COLUMNS = ["issuer", "clientId", "domains", "groupsClaim", "groupRoles", "required"] as const;

/** The provider of an organization as its owners see it, if it has one. */
export async function shownProvider(db: Database, organizationId: string): Promise<OidcProvider | undefined> {
  const [found] = await db.query<OidcProvider>(
    toStatement(knex("oidcProvider").where({ organizationId }).select(COLUMNS)),
  );
  return found;
}

type Row = Omit<SignInProvider, "secret"> & { secretEncrypted: Buffer };

const signInRows = () =>
  knex("oidcProvider as p")
    .join("organization as o", "o.id", "p.organizationId")
    .whereNull("o.deletedAt")
    .limit(2)
    .select("p.organizationId", "o.name as organizationName", "o.urlKey", "p.secretEncrypted")
    .select(COLUMNS.map((name) => `p.${name}`));

/** The provider of an organization. @throws notFound without one */
export async function providerOf({ db, secret }: Runtime, organizationId: string): Promise<SignInProvider> {
  const [row] = await db.query<Row>(toStatement(signInRows().where("p.organizationId", organizationId)));
  if (!row) throw notFound("sign-in", organizationId);
  return opened(secret, row);
}

/**
 * Finds the provider by the organization's address, or by an e-mail address whose domain one organization alone names.
 * Nobody proves a domain here, so a domain that two name leads to neither.
 * @throws notFound
 */
export async function findProvider(
  { db, secret }: Runtime,
  { organization, email = "" }: { organization?: string | undefined; email?: string | undefined },
): Promise<SignInProvider> {
  const rows = signInRows();
  if (organization) rows.where("o.urlKey", organization);
  else rows.whereRaw("p.domains @> array[?]::text[]", [domainOf(email)]);
  const found = await db.query<Row>(toStatement(rows));
  const [row] = found;
  if (!row || found.length > 1) throw notFound("sign-in", organization ?? domainOf(email));
  return opened(secret, row);
}

/** The part of an e-mail address after its last @. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

const ownerOfSecret = (organizationId: string): string => `oidc ${organizationId}`;

/** @throws conflict for a secret that was sealed under another secret of the server */
function opened(root: Uint8Array, { secretEncrypted, ...row }: Row): SignInProvider {
  try {
    return { ...row, secret: openSecret(root, ownerOfSecret(row.organizationId), secretEncrypted) };
  } catch {
    throw conflict("The client's secret cannot be read any more: an owner has to set it again.", "oidc_secret");
  }
}

/** An owner's change of the provider. */
export interface ProviderInput extends OidcProvider {
  /** Left out, the stored one stays; not for another issuer or client. */
  clientSecret?: string | undefined;
}

/** An owner, with the kind of login. */
interface Owner {
  organizationId: string;
  userId: string;
  oidc?: boolean;
}

/**
 * Gives the client's secret that a change leaves in force, and refuses the changes that owners could regret.
 * @throws inputError without a secret where the issuer or the client is another one, which must not be sent the stored
 * secret; conflict `oidc_untried` for an owner who demands a provider that has not signed them in
 */
export async function secretFor(runtime: Runtime, owner: Owner, input: ProviderInput): Promise<string> {
  const { organizationId } = owner;
  const before = await shownProvider(runtime.db, organizationId);
  const [known, wanted] = [before && receiverOf(before), receiverOf(input)];
  const same = isSameReceiver(known, wanted);
  if (input.required && !(before?.required && same) && !(owner.oidc && same)) {
    const words = "Sign in with your company first: only then is it sure that this does not lock everybody out.";
    throw conflict(words, "oidc_untried", "required");
  }
  if (input.clientSecret) return input.clientSecret;
  requireSameReceiver("clientSecret", known, wanted);
  return (await providerOf(runtime, organizationId)).secret;
}

const receiverOf = ({ issuer, clientId }: OidcProvider) => ({ issuer, clientId });

/** Stores the provider of an organization. */
export async function saveProvider({ db, secret: root }: Runtime, owner: Owner, input: ProviderInput, secret: string) {
  const { organizationId, userId: accountId } = owner;
  const { issuer, clientId, domains, groupsClaim, groupRoles, required } = input;
  const now = new Date();
  const row = {
    ...{ issuer, clientId, domains, groupsClaim, required, updatedAt: now },
    groupRoles: JSON.stringify(groupRoles),
    secretEncrypted: sealSecret(root, ownerOfSecret(organizationId), secret),
  };
  await db.transaction(async (trx) => {
    // The former provider can end none of them any more.
    if (!(await isProvider(trx, { organizationId, issuer, clientId })))
      await trx.query(toStatement(endLogins(organizationId)));
    const insert = knex("oidcProvider").insert({ organizationId, ...row, createdAt: now });
    await trx.query(toStatement(insert.onConflict("organizationId").merge(row)));
    const detail = { issuer, clientId, domains, groupsClaim, groupRoles, required };
    await audit(trx, { event: "oidc.changed", organizationId, accountId, detail });
  });
}

/**
 * Reports whether the organization has this issuer and client already. Citus needs a statement of its own for this: no
 * statement may read a distributed table and write a reference table.
 */
async function isProvider(trx: Transaction, by: Record<"organizationId" | "issuer" | "clientId", string>) {
  return (await trx.query(toStatement(knex("oidcProvider").where(by).forUpdate().select("issuer")))).length > 0;
}

const endLogins = (organizationId: string) =>
  knex("login").where({ organizationId, revokedAt: null }).update({ revokedAt: new Date() });

/** Removes the provider of an organization: its logins end, and people go on with their passwords. @throws notFound */
export async function removeProvider(db: Database, { organizationId, userId: accountId }: Owner): Promise<void> {
  await db.transaction(async (trx) => {
    const [removed] = await trx.query(toStatement(knex("oidcProvider").where({ organizationId }).delete("issuer")));
    if (!removed) throw notFound("sign-in", organizationId);
    await trx.query(toStatement(endLogins(organizationId)));
    await audit(trx, { event: "oidc.removed", organizationId, accountId, detail: {} });
  });
}
