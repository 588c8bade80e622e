import { setMaxListeners } from "node:events";
import { getOperationAST, parse } from "graphql";
import type Koa from "koa";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import { authenticate } from "../auth/authenticate.ts";
import { requireScope } from "../auth/principal.ts";
import { AppError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { createHourlyBudgets, type HourlyBudgets } from "./budget/budget.ts";
import { createRequestMeter, type RequestMeter } from "./budget/meter.ts";
import { createMemoryBudgetStore, createPostgresBudgetStore } from "./budget/store.ts";
import { MAX_TOKENS } from "./document/limits.ts";
import { executeRequest } from "./execute.ts";
import { formatError, readErrorStatus } from "./http/format-error.ts";
import { sendGraphiqlAsset, sendGraphiqlPage, wantsGraphiqlPage } from "./http/graphiql.ts";
import { GRAPHQL_RESPONSE_MEDIA_TYPE, readGraphQLParameters, selectResponseMediaType } from "./http/parameters.ts";
import { type HeaderList, type Reply, sendReply } from "./http/reply.ts";
import type { GraphQLResponse } from "./request.ts";

/** Approximate time limit in ms of a request and its SQL. */
const DEADLINE_MS = 15_000;
/**
 * Length in ms of a window. Requests that begin in the same window share one signal and its timer, because a timer per
 * request would cost more than the other work.
 */
const WINDOW_MS = 250;

let window = -1;
let signal = AbortSignal.abort();

/**
 * Returns a signal that aborts when a request that begins now reaches its time limit. The signal may abort up to one
 * window earlier, but never later.
 */
function deadlineFromNow(): AbortSignal {
  const now = Math.floor(performance.now() / WINDOW_MS);
  if (now === window) return signal;
  window = now;
  signal = AbortSignal.timeout(DEADLINE_MS);
  setMaxListeners(0, signal);
  return signal;
}

/** Limits that headers show while budgets are disabled. The values are from Linear's API. */
const SWITCHED_OFF_LIMITS = { requests: 5_000, points: 3_000_000 };

/** Handles /graphql. */
interface GraphQLMiddleware {
  /** Handles POST requests of programs, before other middleware sets response headers. */
  programs: Koa.Middleware;
  /**
   * Handles all other requests to /graphql, and requests for the developer page and its files. Passes requests for
   * other paths on.
   */
  all: Koa.Middleware;
}

/** @param common headers that every response needs and that are not set yet */
export function graphqlMiddleware(runtime: Runtime, common: HeaderList): GraphQLMiddleware {
  const { db, config } = runtime;
  const store = db.engine === "embedded" ? createMemoryBudgetStore() : createPostgresBudgetStore(db);
  const limits = { requests: config.GRAPHQL_REQUESTS_PER_HOUR, points: config.GRAPHQL_COMPLEXITY_PER_HOUR };
  const budget = createHourlyBudgets(store, limits, SWITCHED_OFF_LIMITS);
  // A POST request without an Origin does not come from a browser, because browsers send an Origin with every POST. The
  // response therefore needs no other CORS headers.
  const forPrograms = [...common, "Vary", "Origin, Accept-Encoding"];
  return {
    async programs(ctx, next) {
      const { url, method, headers } = ctx.req;
      if (url !== "/graphql" || method !== "POST" || headers.origin !== undefined) return next();
      const { reply, meter } = await serve(runtime, budget, ctx);
      await sendReply(ctx, reply, [...forPrograms, "X-Request-Id", ctx.state.requestId, ...meter.headers()]);
    },
    async all(ctx, next) {
      if (ctx.path.startsWith("/graphql/")) return (await sendGraphiqlAsset(ctx)) ? undefined : next();
      if (ctx.path !== "/graphql") return next();
      if (wantsGraphiqlPage(ctx)) return sendGraphiqlPage(ctx, createRequestMeter(budget).headers());
      const { reply, meter } = await serve(runtime, budget, ctx);
      ctx.vary("Accept-Encoding");
      await sendReply(ctx, reply, meter.headers());
    },
  };
}

async function serve(
  runtime: Runtime,
  budget: HourlyBudgets,
  ctx: Koa.Context,
): Promise<{ reply: Reply; meter: RequestMeter }> {
  let meter = createRequestMeter(budget);
  try {
    const principal = await authenticate(runtime, ctx.req.headers.authorization);
    meter = createRequestMeter(budget, principal);
    requireScope(principal, "read");
    await meter.countRequest();
    const parameters = await readGraphQLParameters(ctx);
    if (ctx.method !== "POST") refuseMutation(parameters.query, parameters.operationName);
    const deadline = deadlineFromNow();
    const { requestId } = ctx.state;
    const idempotencyKey = ctx.get("Idempotency-Key") || undefined;
    const response = await executeRequest({
      runtime,
      principal,
      meter,
      address: ctx.ip,
      at: new Date(),
      ...parameters,
      deadline,
      requestId,
      idempotencyKey,
    });
    return { reply: replyOf(ctx, response), meter };
  } catch (error) {
    return { reply: refusal(runtime, ctx, error), meter };
  }
}

function replyOf(ctx: Koa.Context, { data, errors, behind }: GraphQLResponse): Reply {
  const type = selectResponseMediaType(ctx);
  // A response without `data` reports errors that occurred before execution. With GraphQL's own media type, such a
  // response has status 400.
  const status = data === undefined && type === GRAPHQL_RESPONSE_MEDIA_TYPE ? 400 : 200;
  const more = behind ? `,"extensions":{"behind":true}` : "";
  if (!errors) return { status, type, headers: [], body: `{"data":${data}${more}}` };
  const members = [`"errors":${JSON.stringify(errors)}`, ...(data === undefined ? [] : [`"data":${data}`])];
  return { status, type, headers: [], body: `{${members.join()}}` };
}

/**
 * Rejects a mutation that is sent with a method other than POST.
 * @throws AppError 405 for a mutation: only POST may change data.
 */
function refuseMutation(query: string, operationName: string | undefined): void {
  let operation: string | undefined;
  try {
    operation = getOperationAST(parse(query, { maxTokens: MAX_TOKENS }), operationName)?.operation;
  } catch {
    return;
  }
  if (operation === "mutation")
    throw new AppError("method", "send mutations with POST", { headers: { Allow: "POST" } });
}

/** Returns the response to a request that failed before execution, or because the database is unavailable. */
function refusal(runtime: Runtime, ctx: Koa.Context, thrown: unknown): Reply {
  const error = formatError(thrown, runtime.log, ctx.state.requestId);
  const status = thrown instanceof AppError ? readErrorStatus(thrown) : thrown instanceof UnavailableError ? 503 : 500;
  const retryAfter =
    thrown instanceof UnavailableError ? thrown.retryAfter : thrown instanceof AppError && thrown.details.retryAfter;
  const own = thrown instanceof AppError ? Object.entries(thrown.details.headers ?? {}).flat() : [];
  const headers = retryAfter ? ["Retry-After", String(retryAfter), ...own] : own;
  return { status, type: selectResponseMediaType(ctx), headers, body: JSON.stringify({ errors: [error] }) };
}
