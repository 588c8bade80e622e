import type { Knex } from "knex";
import type Koa from "koa";
import { z } from "zod";
import { knex, toStatement } from "../../db/builder.ts";
import { authenticateLogin } from "../auth/authenticate.ts";
import { type OAuthScope, type Principal, SCOPES, takesPasswords } from "../auth/principal.ts";
import { forbidden } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { type AuthorizationRequest, checkRequest, redirectUriOf } from "./authorization-request.ts";
import { type Client, findClient, isDocumentUrl } from "./clients/client.ts";
import { redirectHost, withAnswer } from "./clients/redirect-uri.ts";
import { OAuthError } from "./failure.ts";
import type { Issuer } from "./issuer.ts";
import { jsonOf, parametersOf } from "./parameters.ts";
import { issueCode } from "./tokens/code.ts";

/** Everything that is asked of a person, checked. */
interface Asked {
  request: AuthorizationRequest;
  client: Client;
  redirectUri: string;
}

const look = z.strictObject({ query: z.string().max(16_384) });
const requestReply = z.object({
  client: z.object({ name: z.string(), host: z.string().nullable() }),
  redirectHost: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  resource: z.string(),
  account: z.object({ email: z.string(), name: z.string() }),
  organizations: z.array(z.object({ id: z.uuid(), name: z.string(), urlKey: z.string() })),
});
const decision = z.discriminatedUnion("decision", [
  look.extend({ decision: z.literal("deny") }),
  look.extend({
    decision: z.literal("allow"),
    organizationId: z.uuid(),
    scopes: z.array(z.enum(SCOPES)).min(1),
  }),
]);

const decisionReply = z.object({ redirect: z.string() });

/** The endpoints of the page on which a person decides, as its types are made of them. */
export const consentEndpoints = [
  { method: "post", path: "/oauth/consent/request", body: look, replies: { 200: requestReply } },
  { method: "post", path: "/oauth/consent", body: decision, replies: { 200: decisionReply } },
];

/** Describes the request to the signed-in person. @throws OAuthError, AppError */
export async function answerRequest(runtime: Runtime, issuer: Issuer, ctx: Koa.Context): Promise<void> {
  const caller = await signedIn(runtime, ctx);
  const { query } = check(look, await jsonOf(ctx));
  const { request, client, redirectUri } = await asked(runtime, issuer, query, caller);
  ctx.body = {
    client: { name: client.name, host: isDocumentUrl(client.id) ? new URL(client.id).host : null },
    redirectHost: redirectHost(redirectUri),
    scopes: request.scopes,
    resource: request.resource,
    account: await accountOf(runtime, caller),
    organizations: await organizationsOf(runtime, caller),
  } satisfies z.infer<typeof requestReply>;
}

/** Takes the person's decision and answers where to go with it. @throws OAuthError, AppError */
export async function answerDecision(runtime: Runtime, issuer: Issuer, ctx: Koa.Context): Promise<void> {
  const caller = await signedIn(runtime, ctx);
  const body = check(decision, await jsonOf(ctx));
  const { request, client, redirectUri } = await asked(runtime, issuer, body.query, caller);
  const answer = { state: request.state, iss: issuer.url };
  if (body.decision === "deny") {
    ctx.body = { redirect: withAnswer(redirectUri, { error: "access_denied", ...answer }) };
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
    return issueCode(trx, { ...allowed, resource, codeChallenge });
  });
  ctx.body = { redirect: withAnswer(redirectUri, { code, ...answer }) };
}

async function asked(runtime: Runtime, issuer: Issuer, query: string, caller: Principal): Promise<Asked> {
  const parameters = parametersOf(query);
  const request = checkRequest(issuer, parameters);
  const client = await findClient(runtime, request.clientId, caller.accountId);
  return { request, client, redirectUri: redirectUriOf(client, parameters) };
}

/**
 * The scopes that the person allows: never more than were asked for, but for `record`, which they may add by
 * themselves. Programs ask for the scopes that MCP names, and those are the usual ones.
 */
function narrowed(asked: readonly OAuthScope[], allowed: readonly OAuthScope[]): OAuthScope[] {
  const wanted = new Set<OAuthScope>([...allowed, ...(allowed.includes("write") ? (["read"] as const) : [])]);
  const scopes = SCOPES.filter((scope) => wanted.has(scope) && (asked.includes(scope) || scope === "record"));
  if (scopes.length === 0) throw new OAuthError("invalid_scope", "Allow at least one of what is asked for.");
  return scopes;
}

function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new OAuthError("invalid_request", `${issue?.path.join(".") || "The body"}: ${issue?.message}`);
}

/** Only a login decides: neither a key nor a program's token can let another program in. */
const signedIn = (runtime: Runtime, ctx: Koa.Context): Promise<Principal> =>
  authenticateLogin(runtime, ctx.get("Authorization"));

type Account = z.infer<typeof requestReply>["account"];

/** The account by which a person decides, as the page shows it. */
async function accountOf({ db }: Runtime, { accountId }: Principal): Promise<Account> {
  const found = knex("account").where({ id: accountId }).select("email", "name");
  const [account] = await db.query<Account>(toStatement(found));
  return account ?? { email: "", name: "" };
}

/** More than a person sees at once; the one last used comes first. */
const MOST_ORGANIZATIONS = 500;

/** The organizations a person can let a program into. */
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

/** The memberships that a login opens. */
function openTo({ accountId, organizationId, oidc }: Principal): Knex.QueryBuilder {
  const active = knex("user as u").where({ "u.accountId": accountId, "u.active": true });
  return oidc
    ? active.where({ "u.organizationId": organizationId })
    : active.whereRaw(takesPasswords(`u."organizationId"`));
}
