import { getOperationAST, parse } from "graphql";
import type Koa from "koa";
import { Unavailable } from "../../db/errors/unavailable.ts";
import { authenticate } from "../auth/authenticate.ts";
import { requireScope } from "../auth/scopes.ts";
import { AppError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { type Budget, createBudget } from "./budget/budget.ts";
import { memoryBudgets } from "./budget/memory.ts";
import { newMeter } from "./budget/meter.ts";
import { postgresBudgets } from "./budget/postgres.ts";
import { MAX_TOKENS } from "./document/limits.ts";
import { execute } from "./execute.ts";
import { deadlineFromNow } from "./http/deadline.ts";
import { formatError, statusOf } from "./http/format-error.ts";
import { answerAsset, answerPage, wantsPage } from "./http/graphiql.ts";
import { mediaType, parametersOf, RESPONSE_TYPE } from "./http/parameters.ts";
import type { GraphQLResponse } from "./request.ts";

/** The limits that headers show while budgets are switched off: those of Linear's API. */
const SWITCHED_OFF_LIMITS = { requests: 5_000, points: 3_000_000 };

/** Answers /graphql, its page and the files of that, and passes on every other path. */
export function graphqlMiddleware(runtime: Runtime): Koa.Middleware {
  const { db, config } = runtime;
  const store = db.engine === "embedded" ? memoryBudgets() : postgresBudgets(db);
  const limits = { requests: config.GRAPHQL_REQUESTS_PER_HOUR, points: config.GRAPHQL_COMPLEXITY_PER_HOUR };
  const budget = createBudget(store, limits, SWITCHED_OFF_LIMITS);
  return async (ctx, next) => {
    if (ctx.path.startsWith("/graphql/")) return (await answerAsset(ctx)) ? undefined : next();
    if (ctx.path !== "/graphql") return next();
    await serve(runtime, budget, ctx);
  };
}

async function serve(runtime: Runtime, budget: Budget, ctx: Koa.Context): Promise<void> {
  let meter = newMeter(budget);
  if (wantsPage(ctx)) {
    meter.headers(ctx.res);
    return answerPage(ctx);
  }
  try {
    const principal = await authenticate(runtime, ctx.get("Authorization"));
    meter = newMeter(budget, principal);
    requireScope(principal, "read");
    await meter.countRequest();
    const parameters = await parametersOf(ctx);
    if (ctx.method !== "POST") refuseMutation(parameters.query, parameters.operationName);
    const deadline = deadlineFromNow();
    const { requestId } = ctx.state;
    const idempotencyKey = ctx.get("Idempotency-Key") || undefined;
    answer(
      ctx,
      await execute({ runtime, principal, meter, at: new Date(), ...parameters, deadline, requestId, idempotencyKey }),
    );
  } catch (error) {
    refuse(runtime, ctx, error);
  }
  meter.headers(ctx.res);
}

function answer(ctx: Koa.Context, { data, errors }: GraphQLResponse): void {
  const type = mediaType(ctx);
  // Errors before execution answer no `data` at all.
  ctx.status = data === undefined && type === RESPONSE_TYPE ? 400 : 200;
  ctx.type = `${type}; charset=utf-8`;
  const parts = [
    ...(errors ? [`"errors":${JSON.stringify(errors)}`] : []),
    ...(data === undefined ? [] : [`"data":${data}`]),
  ];
  ctx.body = `{${parts.join()}}`;
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

/** Answers a request that ended before execution, or because the database is unavailable. */
function refuse(runtime: Runtime, ctx: Koa.Context, thrown: unknown): void {
  const error = formatError(thrown, runtime.log, ctx.state.requestId);
  ctx.status = thrown instanceof AppError ? statusOf(thrown) : thrown instanceof Unavailable ? 503 : 500;
  const retryAfter =
    thrown instanceof Unavailable ? thrown.retryAfter : thrown instanceof AppError && thrown.details.retryAfter;
  if (retryAfter) ctx.set("Retry-After", String(retryAfter));
  if (thrown instanceof AppError && thrown.details.headers) ctx.set(thrown.details.headers);
  ctx.type = `${mediaType(ctx)}; charset=utf-8`;
  ctx.body = JSON.stringify({ errors: [error] });
}
