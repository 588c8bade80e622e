import { getMonotonicDate, getMonotonicEpochMs } from "../../concurrency/held-clock.ts";
import { definePreparedStatement, knex } from "../../db/builder.ts";
import type { ConnectionRequest, Database } from "../../db/open.ts";
import { authenticationError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { credentialCache } from "./credential-cache.ts";
import { hashKey, isOAuthToken, isPersonalKey } from "./key.ts";
import { recordKeyUse } from "./last-used.ts";
import { allowsPasswordsSql, type OAuthScope, type Principal } from "./principal.ts";
import { verifyAccessToken } from "./token.ts";

/** A member, without the credential that identified the member. */
type Member = Pick<Principal, "accountId"> & { role: "owner" | "member"; app: boolean };

/**
 * Returns the member that a credential belongs to, or undefined after the member was removed. The query for the member
 * is a separate statement, not a join with the table of credentials: on Citus the query then runs only on the
 * organization's node.
 */
async function memberOf(
  db: Pick<Database, "query">,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<Member | undefined> {
  const [member] = await db.query<Member>(activeMember({ organizationId, userId }), undefined, {
    queueClass: "short",
    tenant: organizationId,
  });
  return member;
}

const activeMember = definePreparedStatement(
  "principal-by-member",
  ["organizationId", "userId"],
  ({ organizationId, userId }) =>
    knex("user").where({ organizationId, id: userId, active: true }).select("accountId", "role", "app"),
);

interface Found {
  organizationId: string;
  grantId: string;
  expiresAt: Date;
}

interface Row {
  credentialId: string;
  organizationId: string;
  userId: string;
  accountId: string;
  role: "owner" | "member";
  scopes: OAuthScope[];
}

/** Returns the principal of an OAuth access token. Null for an unknown or ended token, and when OAuth is off. */
export async function findOAuthPrincipal(
  { db, config }: Runtime,
  token: string,
  turn?: ConnectionRequest,
): Promise<Principal | null> {
  if (config.OAUTH === "off" || !isOAuthToken(token)) return null;
  const [found] = await db.query<Found>(
    tokenByHash({ hash: hashKey(token), now: getMonotonicDate() }),
    undefined,
    turn,
  );
  const of: ConnectionRequest = { queueClass: "short", tenant: found?.organizationId };
  const [row] = found ? await db.query<Row>(principalByGrant(found), undefined, of) : [];
  return row && found ? { ...row, kind: "oauth", expiresAt: found.expiresAt.getTime() } : null;
}

const tokenByHash = definePreparedStatement("principal-by-oauth-token", ["hash", "now"], ({ hash, now }) =>
  knex("oauthToken")
    .where({ hash, kind: "access" })
    .where("expiresAt", ">", now)
    .select("organizationId", "grantId", "expiresAt"),
);

const principalByGrant = definePreparedStatement(
  "principal-by-oauth-grant",
  ["organizationId", "grantId"],
  ({ organizationId, grantId }) =>
    knex("oauthGrant as g")
      .join("user as u", { "u.organizationId": "g.organizationId", "u.id": "g.userId", "u.active": knex.raw("true") })
      .where({ "g.organizationId": organizationId, "g.id": grantId })
      .select("g.id as credentialId", "g.organizationId", "g.userId", "u.accountId", "u.role", "g.scopes"),
);

/**
 * Resolves an `Authorization` header: raw `trk_api_…`, `Bearer trk_api_…`, `Bearer <JWT>` or `Bearer trk_oauth_…`.
 * @throws authenticationError if the credential is missing, malformed, unknown, expired or revoked.
 */
export async function authenticate(runtime: Runtime, authorization: string | undefined): Promise<Principal> {
  const credential = authorization && credentialOf(authorization);
  if (!credential)
    throw refused("The request needs a credential: Authorization: Bearer <access token>, or a personal key.");
  return authenticateCredential(runtime, credential);
}

const ONLY_LOGINS =
  "Log in with POST /api/auth/login and send the access token as Authorization: Bearer <access token>. This endpoint accepts neither personal keys nor OAuth tokens.";

/**
 * Resolves a login's access token in an Authorization header. Rejects every other credential.
 * @throws authenticationError as `authenticate` does.
 */
export async function authenticateLogin(runtime: Runtime, authorization: string): Promise<Principal> {
  if (!/^Bearer +(?!trk_)\S+$/i.test(authorization.trim())) throw refused(ONLY_LOGINS);
  return authenticate(runtime, authorization);
}

/**
 * Resolves a credential without header syntax (JWT, personal key or OAuth token), as a socket sends it.
 * @throws authenticationError as `authenticate` does.
 */
export async function authenticateCredential(runtime: Runtime, credential: string): Promise<Principal> {
  const cache = credentialCache(runtime.db);
  const last = cache.fresh.peek(credential, { allowStale: true });
  const principal =
    cache.fresh.get(credential, { noDeleteOnStaleGet: true }) ??
    (await lookUp(runtime, credential, last?.organizationId));
  if (!principal || (principal.expiresAt ?? Number.POSITIVE_INFINITY) <= getMonotonicEpochMs()) {
    throw refused("The credential is not valid: it is malformed, unknown, expired or revoked.");
  }
  return principal;
}

/** Returns the credential in a header, or null for an unsupported form, such as a raw JWT. */
function credentialOf(authorization: string): string | null {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization.trim());
  if (bearer) return bearer[1] ?? null;
  return authorization.trim().startsWith("trk_api_") ? authorization.trim() : null;
}

/**
 * @param tenant the organization to which the credential last belonged, if known: the query waits in that
 * organization's queue
 */
async function lookUp(runtime: Runtime, credential: string, tenant?: string | null): Promise<Principal | null> {
  const cache = credentialCache(runtime.db);
  const { revocations } = cache;
  const begun = performance.now();
  const principal = await find(runtime, credential, { queueClass: "short", tenant: tenant ?? undefined });
  // The entry's age counts from the start of the query, because the result may be that old.
  if (principal && revocations === cache.revocations) cache.fresh.set(credential, principal, { start: begun });
  return principal;
}

function find(runtime: Runtime, credential: string, turn: ConnectionRequest): Promise<Principal | null> {
  if (credential.startsWith("trk_api_")) return byKey(runtime, credential, turn);
  if (credential.startsWith("trk_oauth_")) return findOAuthPrincipal(runtime, credential, turn);
  return byToken(runtime, credential);
}

async function byKey(runtime: Runtime, key: string, turn: ConnectionRequest): Promise<Principal | null> {
  if (!isPersonalKey(key)) return null;
  const hash = hashKey(key);
  const [found] = await runtime.db.query<FoundKey>(keyByHash({ hash, now: getMonotonicDate() }), undefined, turn);
  const member = found && (await memberOf(runtime.db, found));
  if (!member) return null;
  recordKeyUse(runtime, "apiKey", hash);
  return { ...found, ...member, kind: "key", expiresAt: found.expiresAt?.getTime() ?? null };
}

interface FoundKey {
  credentialId: string;
  organizationId: string;
  userId: string;
  expiresAt: Date | null;
}

const keyByHash = definePreparedStatement("principal-by-key", ["hash", "now"], ({ hash, now }) =>
  knex("apiKey")
    .where({ hash })
    .where((key) => key.whereNull("expiresAt").orWhere("expiresAt", ">", now))
    .select("id as credentialId", "organizationId", "userId", "expiresAt"),
);

async function byToken({ db, secret }: Runtime, token: string): Promise<Principal | null> {
  const claims = await verifyAccessToken(secret, token);
  if (!claims) return null;
  const { accountId, organizationId, loginId, expiresAt } = claims;
  const [row] = await db.query<{ userId: string | null; role: Principal["role"]; oidc: boolean }>(
    principalByLogin({ loginId, accountId, organizationId }),
    undefined,
    { queueClass: "short", tenant: organizationId ?? undefined },
  );
  // The account has left the organization that the token names.
  if (!row || (organizationId && !row.userId)) return null;
  return { ...row, accountId, organizationId, kind: "token", credentialId: loginId, expiresAt };
}

const principalByLogin = definePreparedStatement(
  "principal-by-login",
  ["loginId", "accountId", "organizationId"],
  ({ loginId, accountId, organizationId }) =>
    knex("login as l")
      .leftJoin("user as u", (on) =>
        on
          .onVal("u.organizationId", organizationId)
          .on("u.accountId", "l.accountId")
          .on("u.active", knex.raw("true"))
          .on(knex.raw(`(l."organizationId" is not null or ${allowsPasswordsSql("?")})`, [organizationId])),
      )
      .where({ "l.id": loginId, "l.accountId": accountId, "l.revokedAt": null })
      .where((login) => login.whereNull("l.organizationId").orWhere("l.organizationId", organizationId))
      .select("u.id as userId", "u.role", { oidc: knex.raw(`l."organizationId" is not null`) }),
);

const refused = (message: string) => authenticationError(message, { "WWW-Authenticate": "Bearer" });
