import Router from "@koa/router";
import type Koa from "koa";
import type { z } from "zod";
import { isUuid } from "../../formats/uuid.ts";
import { authenticateLogin } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import { AppError, forbidden, invalidFieldsError, notFound } from "../errors.ts";
import { readJson } from "../request-body.ts";
import type { Runtime } from "../runtime.ts";
import { respondWithError } from "./failure.ts";
import { handleOidcCallbackOrLogout } from "./oidc/navigation.ts";
import type { OpenApiPart } from "./openapi.ts";
import { addCookieSecretsToBody, isOwnPageRequest, moveSecretsToCookies } from "./page-session.ts";
import { createReferencePageHandler } from "./pages.ts";
import type { Route, RouteAccess, RouteCall } from "./route.ts";
import { routes } from "./routes.ts";

/**
 * Handles requests for the routes and pages of the control plane, and passes requests for other paths on.
 * @param others the parts of the OpenAPI document for other parts of the server
 */
export function controlMiddleware(runtime: Runtime, others: OpenApiPart): Koa.Middleware {
  const answerPage = createReferencePageHandler(others);
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    router[route.method](route.path, (ctx) => answer(runtime, route, ctx as unknown as Koa.Context));
  }
  const dispatch = router.routes() as unknown as Koa.Middleware;
  return async (ctx, next) => {
    try {
      if (answerPage(ctx) || (await handleOidcCallbackOrLogout(runtime, ctx))) return;
      refuseOtherMethods(router, ctx);
      await dispatch(ctx, next);
    } catch (error) {
      respondWithError(runtime, ctx, error);
    }
  };
}

/** Checks a request and responds. Order of checks: path and method, bearer, body, fields. */
async function answer(runtime: Runtime, route: Route, ctx: Koa.Context): Promise<void> {
  // Responses contain tokens and keys, so caches must not store them.
  ctx.set("Cache-Control", "no-store");
  const caller = await admit(runtime, route.access, ctx.get("Authorization"));
  const params: Record<string, string> = ctx["params"];
  for (const value of Object.values(params)) if (!isUuid(value)) throw notFound(route.tag.toLowerCase(), value);
  const ofPage = isOwnPageRequest(runtime, ctx);
  const body = route.body && (await readInput(ctx));
  const call: RouteCall = {
    runtime,
    caller,
    params,
    address: ctx.ip,
    query: route.query && check(route.query, ctx.query),
    body: route.body && check(route.body, ofPage ? addCookieSecretsToBody(route, ctx, body) : body),
  };
  const tenant = caller?.organizationId ?? undefined;
  const reply = await (tenant ? runtime.db.as("short", () => route.run(call), tenant) : route.run(call));
  ctx.status = route.status?.(reply) ?? Number(Object.keys(route.replies)[0]);
  ctx.body = ofPage ? moveSecretsToCookies(route, ctx, reply) : reply;
}

async function admit(runtime: Runtime, access: RouteAccess, authorization: string): Promise<Principal | null> {
  if (access === "public" || (access === "optional" && !authorization)) return null;
  const caller = await authenticateLogin(runtime, authorization);
  // A login through an OpenID provider cannot act on the whole account, because the account may belong to other
  // organizations, over which the provider's organization has no authority.
  if (caller.oidc && (access === "account" || access === "optional")) {
    throw forbidden(
      "You signed in with your company's OpenID provider. This login is valid only for the provider's organization.",
      "organization_login",
    );
  }
  if (access === "account" || access === "optional") return caller;
  if (!caller.organizationId) {
    throw forbidden(
      "The token is not for an organization; create an organization with POST /api/organization.",
      "organization_required",
    );
  }
  if (access === "owner" && caller.role !== "owner") throw forbidden("Only owners of the organization can do this.");
  return caller;
}

/** Responds with 405 and the allowed methods if the path is known but the method is not. */
function refuseOtherMethods(router: Router, ctx: Koa.Context): void {
  const { path, route: matched } = router.match(ctx.path, ctx.method);
  if (matched || path.length === 0) return;
  const allowed = [...new Set(path.flatMap((layer) => layer.methods))].join(", ");
  throw new AppError("method", `${ctx.path} takes ${allowed}.`, { headers: { Allow: allowed } });
}

/** Reads the JSON body of a request. A missing body counts as `{}`, so that the validation lists the missing fields. */
const readInput = async (ctx: Koa.Context): Promise<unknown> =>
  ctx.get("Transfer-Encoding") || ctx.request.length ? readJson(ctx) : {};

/**
 * Validates a value.
 * @throws invalidFieldsError (400) with every invalid field.
 */
function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidFieldsError(
    result.error.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "unknown field" }))
        : [{ path: issue.path.join("."), message: issue.message }],
    ),
  );
}
