import { setMaxListeners } from "node:events";
import { getOperationAST, parse } from "graphql";
import type Koa from "koa";
import { Unavailable } from "../../db/errors/unavailable.ts";
import { authenticate } from "../auth/authenticate.ts";
import { requireScope } from "../auth/principal.ts";
import { AppError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { type Budget, createBudget } from "./budget/budget.ts";
import { type Meter, newMeter } from "./budget/meter.ts";
import { memoryBudgets, postgresBudgets } from "./budget/store.ts";
import { MAX_TOKENS } from "./document/limits.ts";
import { execute } from "./execute.ts";
import { formatError, statusOf } from "./http/format-error.ts";
import { answerAsset, answerPage, wantsPage } from "./http/graphiql.ts";
import { mediaType, parametersOf, RESPONSE_TYPE } from "./http/parameters.ts";
import { type HeaderList, type Reply, send } from "./http/reply.ts";
import type { GraphQLResponse } from "./request.ts";

/** A request and its SQL are stopped after about this long. */
const DEADLINE_MS = 15_000;
/** Requests that begin within the same window share a signal and its timer: one for each would cost more than the rest. */
const WINDOW_MS = 250;

let window = -1;
let signal = AbortSignal.abort();

/** A signal that aborts when a request that begins now has had its time; up to one window earlier, never later. */
function deadlineFromNow(): AbortSignal {
  const now = Math.floor(performance.now() / WINDOW_MS);
  if (now === window) return signal;
  window = now;
  signal = AbortSignal.timeout(DEADLINE_MS);
  setMaxListeners(0, signal);
  return signal;
}

/** The limits that headers show while budgets are switched off: those of Linear's API. */
const SWITCHED_OFF_LIMITS = { requests: 5_000, points: 3_000_000 };

/** Answers /graphql. */
interface GraphQLMiddleware {
  /** Programs that POST, before anything is put on the response. */
  programs: Koa.Middleware;
  /** Everybody, its page and the files of that; passes on every other path. */
  all: Koa.Middleware;
}

/** @param common headers that an answer needs which nothing is on yet */
export function graphqlMiddleware(runtime: Runtime, common: HeaderList): GraphQLMiddleware {
  const { db, config } = runtime;
  const store = db.engine === "embedded" ? memoryBudgets() : postgresBudgets(db);
  const limits = { requests: config.GRAPHQL_REQUESTS_PER_HOUR, points: config.GRAPHQL_COMPLEXITY_PER_HOUR };
  const budget = createBudget(store, limits, SWITCHED_OFF_LIMITS);
  // Browsers name an origin in a POST; a request without one needs no more of CORS than this.
  const forPrograms = [...common, "Vary", "Origin, Accept-Encoding"];
  return {
    async programs(ctx, next) {
      const { url, method, headers } = ctx.req;
      if (url !== "/graphql" || method !== "POST" || headers.origin !== undefined) return next();
      const { reply, meter } = await serve(runtime, budget, ctx);
      await send(ctx, reply, [...forPrograms, "X-Request-Id", ctx.state.requestId, ...meter.headers()]);
    },
    async all(ctx, next) {
      if (ctx.path.startsWith("/graphql/")) return (await answerAsset(ctx)) ? undefined : next();
      if (ctx.path !== "/graphql") return next();
      if (wantsPage(ctx)) return answerPage(ctx, newMeter(budget).headers());
      const { reply, meter } = await serve(runtime, budget, ctx);
      ctx.vary("Accept-Encoding");
      await send(ctx, reply, meter.headers());
    },
  };
}

async function serve(runtime: Runtime, budget: Budget, ctx: Koa.Context): Promise<{ reply: Reply; meter: Meter }> {
  let meter = newMeter(budget);
  try {
    const principal = await authenticate(runtime, ctx.req.headers.authorization);
    meter = newMeter(budget, principal);
    requireScope(principal, "read");
    await meter.countRequest();
    const parameters = await parametersOf(ctx);
    if (ctx.method !== "POST") refuseMutation(parameters.query, parameters.operationName);
    const deadline = deadlineFromNow();
    const { requestId } = ctx.state;
    const idempotencyKey = ctx.get("Idempotency-Key") || undefined;
    const response = await execute({
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
  const type = mediaType(ctx);
  // Errors before execution answer no `data` at all.
  const status = data === undefined && type === RESPONSE_TYPE ? 400 : 200;
  const more = behind ? `,"extensions":{"behind":true}` : "";
  if (!errors) return { status, type, headers: [], body: `{"data":${data}${more}}` };
  const members = [`"errors":${JSON.stringify(errors)}`, ...(data === undefined ? [] : [`"data":${data}`])];
  return { status, type, headers: [], body: `{${members.join()}}` };
}

/** @throws AppError 405: only POST may change anything. */
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

/** The answer to a request that ended before execution, or because the database is unavailable. */
function refusal(runtime: Runtime, ctx: Koa.Context, thrown: unknown): Reply {
  const error = formatError(thrown, runtime.log, ctx.state.requestId);
  const status = thrown instanceof AppError ? statusOf(thrown) : thrown instanceof Unavailable ? 503 : 500;
  const retryAfter =
    thrown instanceof Unavailable ? thrown.retryAfter : thrown instanceof AppError && thrown.details.retryAfter;
  const own = thrown instanceof AppError ? Object.entries(thrown.details.headers ?? {}).flat() : [];
  const headers = retryAfter ? ["Retry-After", String(retryAfter), ...own] : own;
  return { status, type: mediaType(ctx), headers, body: JSON.stringify({ errors: [error] }) };
}
