import Router from "@koa/router";
import type Koa from "koa";
import type { z } from "zod";
import { isUuid } from "../../formats/uuid.ts";
import { authenticateLogin } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import { AppError, forbidden, invalidInput, notFound } from "../errors.ts";
import { readJson } from "../request-body.ts";
import type { Runtime } from "../runtime.ts";
import { answerFailure } from "./failure.ts";
import { answerOidc } from "./oidc/navigation.ts";
import type { Part } from "./openapi.ts";
import { isOfPage, keepToken, withCookie } from "./page-session.ts";
import { createPages } from "./pages.ts";
import type { Access, Call, Route } from "./route.ts";
import { routes } from "./routes.ts";

/**
 * The control plane: answers the declared routes and its pages, and passes on every other path.
 * @param others the members of the OpenAPI document about other parts of the server
 */
export function controlMiddleware(runtime: Runtime, others: Part): Koa.Middleware {
  const answerPage = createPages(others);
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    router[route.method](route.path, (ctx) => answer(runtime, route, ctx as unknown as Koa.Context));
  }
  const dispatch = router.routes() as unknown as Koa.Middleware;
  return async (ctx, next) => {
    try {
      if (answerPage(ctx) || (await answerOidc(runtime, ctx))) return;
      refuseOtherMethods(router, ctx);
      await dispatch(ctx, next);
    } catch (error) {
      answerFailure(runtime, ctx, error);
    }
  };
}

/** The order of checks: path and method, bearer, body, fields. */
async function answer(runtime: Runtime, route: Route, ctx: Koa.Context): Promise<void> {
  // Tokens and keys are in these answers: no cache may keep one.
  ctx.set("Cache-Control", "no-store");
  const caller = await admit(runtime, route.access, ctx.get("Authorization"));
  const params: Record<string, string> = ctx["params"];
  for (const value of Object.values(params)) if (!isUuid(value)) throw notFound(route.tag.toLowerCase(), value);
  const ofPage = isOfPage(runtime, ctx);
  const body = route.body && (await readInput(ctx));
  const call: Call = {
    runtime,
    caller,
    params,
    address: ctx.ip,
    query: route.query && check(route.query, ctx.query),
    body: route.body && check(route.body, ofPage ? withCookie(route, ctx, body) : body),
  };
  const tenant = caller?.organizationId ?? undefined;
  const reply = await (tenant ? runtime.db.as("short", () => route.run(call), tenant) : route.run(call));
  ctx.status = route.status?.(reply) ?? Number(Object.keys(route.replies)[0]);
  ctx.body = ofPage ? keepToken(route, ctx, reply) : reply;
}

async function admit(runtime: Runtime, access: Access, authorization: string): Promise<Principal | null> {
  if (access === "public" || (access === "optional" && !authorization)) return null;
  const caller = await authenticateLogin(runtime, authorization);
  // Its account may belong to other organizations, which a provider of this one has no say in.
  if (caller.oidc && (access === "account" || access === "optional")) {
    throw forbidden("You signed in with your company, and that opens its organization alone.", "organization_login");
  }
  if (access === "account" || access === "optional") return caller;
  if (!caller.organizationId) {
    throw forbidden(
      "The token carries no organization; create one with POST /api/organization.",
      "organization_required",
    );
  }
  if (access === "owner" && caller.role !== "owner") throw forbidden("Only an owner of the organization may do this.");
  return caller;
}

/** A known path with another method: 405, saying which there are. */
function refuseOtherMethods(router: Router, ctx: Koa.Context): void {
  const { path, route: matched } = router.match(ctx.path, ctx.method);
  if (matched || path.length === 0) return;
  const allowed = [...new Set(path.flatMap((layer) => layer.methods))].join(", ");
  throw new AppError("method", `${ctx.path} takes ${allowed}.`, { headers: { Allow: allowed } });
}

/** Reads the JSON body of a request. A request without one counts as `{}`, so that the check names the missing fields. */
const readInput = async (ctx: Koa.Context): Promise<unknown> =>
  ctx.get("Transfer-Encoding") || ctx.request.length ? readJson(ctx) : {};

/**
 * Checks a value against a schema.
 * @throws invalidInput (400) with every field at fault.
 */
function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidInput(
    result.error.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "unknown field" }))
        : [{ path: issue.path.join("."), message: issue.message }],
    ),
  );
}
