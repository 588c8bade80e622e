import type { Knex } from "knex";
import type Koa from "koa";
import { z } from "zod";
import { knex, toStatement } from "../../db/builder.ts";
import { authenticateLogin } from "../auth/authenticate.ts";
import { allowsPasswordsSql, OAUTH_SCOPES, type OAuthScope, type Principal } from "../auth/principal.ts";
import { forbidden } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { type AuthorizationRequest, parseAuthorizationRequest, selectRedirectUri } from "./authorization-request.ts";
import { type Client, findClient, isMetadataDocumentUrl } from "./clients/client.ts";
import { redirectHost, withResponseParameters } from "./clients/redirect-uri.ts";
import { OAuthError } from "./failure.ts";
import type { Issuer } from "./issuer.ts";
import { parseOAuthParameters, readOAuthJson } from "./parameters.ts";
import { createAuthorizationCode } from "./tokens/code.ts";

/** A validated request that the user must decide. */
interface Asked {
  request: AuthorizationRequest;
  client: Client;
  redirectUri: string;
}

const look = z.strictObject({ query: z.string().max(16_384) });
const requestReply = z.object({
  client: z.object({ name: z.string(), host: z.string().nullable() }),
  redirectHost: z.string(),
  scopes: z.array(z.enum(OAUTH_SCOPES)),
  resource: z.string(),
  account: z.object({ email: z.string(), name: z.string() }),
  organizations: z.array(z.object({ id: z.uuid(), name: z.string(), urlKey: z.string() })),
});
const decision = z.discriminatedUnion("decision", [
  look.extend({ decision: z.literal("deny") }),
  look.extend({
    decision: z.literal("allow"),
    organizationId: z.uuid(),
    scopes: z.array(z.enum(OAUTH_SCOPES)).min(1),
  }),
]);

const decisionReply = z.object({ redirect: z.string() });

/** Endpoints of the consent page. The types of the page are generated from this list. */
export const consentEndpoints = [
  { method: "post", path: "/oauth/consent/request", body: look, replies: { 200: requestReply } },
  { method: "post", path: "/oauth/consent", body: decision, replies: { 200: decisionReply } },
];

/** Describes the request to the signed-in user. @throws OAuthError, AppError */
export async function handleConsentRequest(runtime: Runtime, issuer: Issuer, ctx: Koa.Context): Promise<void> {
  const caller = await signedIn(runtime, ctx);
  const { query } = check(look, await readOAuthJson(ctx));
  const { request, client, redirectUri } = await asked(runtime, issuer, query, caller);
  ctx.body = {
    client: { name: client.name, host: isMetadataDocumentUrl(client.id) ? new URL(client.id).host : null },
    redirectHost: redirectHost(redirectUri),
    scopes: request.scopes,
    resource: request.resource,
    account: await accountOf(runtime, caller),
    organizations: await organizationsOf(runtime, caller),
  } satisfies z.infer<typeof requestReply>;
}

/** Stores the user's decision and responds with the URI to open next. @throws OAuthError, AppError */
export async function handleConsentDecision(runtime: Runtime, issuer: Issuer, ctx: Koa.Context): Promise<void> {
  const caller = await signedIn(runtime, ctx);
  const body = check(decision, await readOAuthJson(ctx));
  const { request, client, redirectUri } = await asked(runtime, issuer, body.query, caller);
  const answer = { state: request.state, iss: issuer.url };
  if (body.decision === "deny") {
    ctx.body = { redirect: withResponseParameters(redirectUri, { error: "access_denied", ...answer }) };
    return;
  }
  const { organizationId } = body;
  const scopes = narrowed(request.scopes, body.scopes);
  const code = await runtime.db.transaction(async (trx) => {
    const membership = openTo(caller).where({ "u.organizationId": organizationId }).select("u.id");
    const [member] = await trx.query<{ id: string }>(toStatement(membership));
    if (!member) throw forbidden("You do not belong to this organization.");
    const { clientId, resource, codeChallenge } = request;
    const allowed = { organizationId, userId: member.id, clientId, clientName: client.name, redirectUri, scopes };
    return createAuthorizationCode(trx, { ...allowed, resource, codeChallenge });
  });
  ctx.body = { redirect: withResponseParameters(redirectUri, { code, ...answer }) };
}

async function asked(runtime: Runtime, issuer: Issuer, query: string, caller: Principal): Promise<Asked> {
  const parameters = parseOAuthParameters(query);
  const request = parseAuthorizationRequest(issuer, parameters);
  const client = await findClient(runtime, request.clientId, caller.accountId);
  return { request, client, redirectUri: selectRedirectUri(client, parameters) };
}

/**
 * Returns the scopes that the user allows: never more than the app requested, except `record`. The user may add
 * `record`, because apps request only the usual scopes, which MCP names.
 */
function narrowed(asked: readonly OAuthScope[], allowed: readonly OAuthScope[]): OAuthScope[] {
  const wanted = new Set<OAuthScope>([...allowed, ...(allowed.includes("write") ? (["read"] as const) : [])]);
  const scopes = OAUTH_SCOPES.filter((scope) => wanted.has(scope) && (asked.includes(scope) || scope === "record"));
  if (scopes.length === 0) throw new OAuthError("invalid_scope", "Allow at least one of the requested scopes.");
  return scopes;
}

function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new OAuthError("invalid_request", `${issue?.path.join(".") || "The body"}: ${issue?.message}`);
}

/** Only a login may decide. A key or an app's token cannot connect another app. */
const signedIn = (runtime: Runtime, ctx: Koa.Context): Promise<Principal> =>
  authenticateLogin(runtime, ctx.get("Authorization"));

type Account = z.infer<typeof requestReply>["account"];

/** Returns the account of the deciding user, as the page shows it. */
async function accountOf({ db }: Runtime, { accountId }: Principal): Promise<Account> {
  const found = knex("account").where({ id: accountId }).select("email", "name");
  const [account] = await db.query<Account>(toStatement(found));
  return account ?? { email: "", name: "" };
}

/**
 * Maximum number of organizations in the list, more than a page shows at once. The organization that the user used last
 * comes first.
 */
const MOST_ORGANIZATIONS = 500;

/** Returns the organizations to which a user can connect an app. */
const organizationsOf = ({ db }: Runtime, caller: Principal): Promise<z.infer<typeof requestReply>["organizations"]> =>
  db.query(
    toStatement(
      openTo(caller)
        .join("organization as o", "o.id", "u.organizationId")
        .join("account as a", "a.id", "u.accountId")
        .orderByRaw(`(o.id = a."lastOrganizationId") desc nulls last`)
        .orderBy("o.name")
        .limit(MOST_ORGANIZATIONS)
        .select("o.id", "o.name", "o.urlKey"),
    ),
  );

/** Query for the memberships that a login gives access to. */
function openTo({ accountId, organizationId, oidc }: Principal): Knex.QueryBuilder {
  const active = knex("user as u").where({ "u.accountId": accountId, "u.active": true });
  return oidc
    ? active.where({ "u.organizationId": organizationId })
    : active.whereRaw(allowsPasswordsSql(`u."organizationId"`));
}
