import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { isSameSecretReceiver, requireSameSecretReceiver } from "../../auth/receiver.ts";
import { decryptSecret, encryptSecret } from "../../auth/secret.ts";
import { conflict, notFound } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { writeAuditEntry } from "../audit.ts";
import type { Role } from "../members/member.ts";

/** Assigns a role to a group at the provider. Users in the group get the role. */
export interface GroupRole {
  group: string;
  role: Role;
}

/** The OpenID provider of an organization as shown to owners, without the client secret. */
export interface OidcProvider {
  issuer: string;
  clientId: string;
  /** Domains of the email addresses that may sign in through the provider. */
  domains: string[];
  /** Claim that contains a user's groups. */
  groupsClaim: string;
  /** If empty, every user of the provider becomes a member. Otherwise only users with a listed group become members. */
  groupRoles: GroupRole[];
  /** True if logins by password give no access to the organization. */
  required: boolean;
}

/** The provider with all values that a sign-in needs. */
export interface SignInProvider extends OidcProvider {
  organizationId: string;
  organizationName: string;
  urlKey: string;
  secret: string;
}

const COLUMNS = ["issuer", "clientId", "domains", "groupsClaim", "groupRoles", "required"] as const;

/** Returns the provider of an organization as shown to owners, if set. */
export async function readProvider(db: Database, organizationId: string): Promise<OidcProvider | undefined> {
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

/** @throws notFound without a provider */
export async function getSignInProvider({ db, secret }: Runtime, organizationId: string): Promise<SignInProvider> {
  const [row] = await db.query<Row>(toStatement(signInRows().where("p.organizationId", organizationId)));
  if (!row) throw notFound("sign-in", organizationId);
  return opened(secret, row);
}

/**
 * Finds a provider by the organization's `urlKey`, or by the domain of an email address if only one organization lists
 * the domain. Trackway does not verify domains, so no provider is found if two organizations list the same domain.
 * @throws notFound
 */
export async function findProvider(
  { db, secret }: Runtime,
  { organization, email = "" }: { organization?: string | undefined; email?: string | undefined },
): Promise<SignInProvider> {
  const rows = signInRows();
  if (organization) rows.where("o.urlKey", organization);
  else rows.whereRaw("p.domains @> array[?]::text[]", [parseEmailDomain(email)]);
  const found = await db.query<Row>(toStatement(rows));
  const [row] = found;
  if (!row || found.length > 1) throw notFound("sign-in", organization ?? parseEmailDomain(email));
  return opened(secret, row);
}

/** Returns the part of an email address after the last @. */
export const parseEmailDomain = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

const ownerOfSecret = (organizationId: string): string => `oidc ${organizationId}`;

/** Decrypts the client secret of a provider. @throws conflict if the secret was encrypted with another server secret */
function opened(root: Uint8Array, { secretEncrypted, ...row }: Row): SignInProvider {
  try {
    return { ...row, secret: decryptSecret(root, ownerOfSecret(row.organizationId), secretEncrypted) };
  } catch {
    throw conflict("The server can no longer decrypt the client secret; an owner must set it again.", "oidc_secret");
  }
}

/** An owner's change of the provider. */
export interface ProviderInput extends OidcProvider {
  /** If absent, the stored secret stays. The secret is required if the issuer or the client changes. */
  clientSecret?: string | undefined;
}

/** An owner, and whether the login went through the provider. */
interface Owner {
  organizationId: string;
  userId: string;
  oidc?: boolean;
}

/**
 * Returns the client secret that applies after a change: the new secret, else the stored secret. Rejects changes that
 * could lock owners out.
 * @throws inputError if the issuer or client changes without a new secret, because the stored secret must not be sent
 * to another receiver; conflict `oidc_untried` if an owner requires a provider without having signed in through it
 */
export async function resolveClientSecret(runtime: Runtime, owner: Owner, input: ProviderInput): Promise<string> {
  const { organizationId } = owner;
  const before = await readProvider(runtime.db, organizationId);
  const [known, wanted] = [before && receiverOf(before), receiverOf(input)];
  const same = isSameSecretReceiver(known, wanted);
  if (input.required && !(before?.required && same) && !(owner.oidc && same)) {
    const words = "Sign in with your company first, to prove that this setting does not lock everybody out.";
    throw conflict(words, "oidc_untried", "required");
  }
  if (input.clientSecret) return input.clientSecret;
  requireSameSecretReceiver("clientSecret", known, wanted);
  return (await getSignInProvider(runtime, organizationId)).secret;
}

const receiverOf = ({ issuer, clientId }: OidcProvider) => ({ issuer, clientId });

export async function saveProvider({ db, secret: root }: Runtime, owner: Owner, input: ProviderInput, secret: string) {
  const { organizationId, userId: accountId } = owner;
  const { issuer, clientId, domains, groupsClaim, groupRoles, required } = input;
  const now = new Date();
  const row = {
    ...{ issuer, clientId, domains, groupsClaim, required, updatedAt: now },
    groupRoles: JSON.stringify(groupRoles),
    secretEncrypted: encryptSecret(root, ownerOfSecret(organizationId), secret),
  };
  await db.transaction(async (trx) => {
    // If the issuer or client changes, revokes the logins through the former provider, because the former provider can
    // no longer end these logins.
    if (!(await isProvider(trx, { organizationId, issuer, clientId })))
      await trx.query(toStatement(endLogins(organizationId)));
    const insert = knex("oidcProvider").insert({ organizationId, ...row, createdAt: now });
    await trx.query(toStatement(insert.onConflict("organizationId").merge(row)));
    const detail = { issuer, clientId, domains, groupsClaim, groupRoles, required };
    await writeAuditEntry(trx, { event: "oidc.changed", organizationId, accountId, detail });
  });
}

/**
 * Returns true if the organization already has this issuer and client. Citus needs a separate statement, because a
 * statement cannot read a distributed table and write a reference table.
 */
async function isProvider(trx: Transaction, by: Record<"organizationId" | "issuer" | "clientId", string>) {
  return (await trx.query(toStatement(knex("oidcProvider").where(by).forUpdate().select("issuer")))).length > 0;
}

const endLogins = (organizationId: string) =>
  knex("login").where({ organizationId, revokedAt: null }).update({ revokedAt: new Date() });

/**
 * Removes an organization's provider and revokes the logins through this provider. After the removal, users sign in
 * with their passwords again. @throws notFound
 */
export async function removeProvider(db: Database, { organizationId, userId: accountId }: Owner): Promise<void> {
  await db.transaction(async (trx) => {
    const [removed] = await trx.query(toStatement(knex("oidcProvider").where({ organizationId }).delete("issuer")));
    if (!removed) throw notFound("sign-in", organizationId);
    await trx.query(toStatement(endLogins(organizationId)));
    await writeAuditEntry(trx, { event: "oidc.removed", organizationId, accountId, detail: {} });
  });
}
