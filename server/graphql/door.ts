import { type GraphQLFormattedError, getOperationAST, parse } from "graphql";
import type Koa from "koa";
import { Unavailable } from "../../db/unavailable.ts";
import { authenticate } from "../auth/principal.ts";
import { AppError } from "../errors.ts";
import type { Runtime } from "../http.ts";
import { execute } from "./execute.ts";
import { formatted, statusOf } from "./failure.ts";
import { mediaType, parametersOf, RESPONSE_TYPE } from "./transport.ts";

/** A request and its SQL are stopped after this long (decisions §3). */
const DEADLINE_MS = 15_000;

/** The data plane's door: answers /graphql and passes on every other path. */
export function graphqlDoor(runtime: Runtime): Koa.Middleware {
  return async (ctx, next) => {
    if (ctx.path !== "/graphql") return next();
    try {
      await answer(runtime, ctx);
    } catch (error) {
      refuse(runtime, ctx, error);
    }
  };
}

async function answer(runtime: Runtime, ctx: Koa.Context): Promise<void> {
  const principal = await authenticate(runtime, ctx.get("Authorization"));
  const parameters = await parametersOf(ctx);
  if (ctx.method !== "POST") refuseMutation(parameters.query, parameters.operationName);
  const { data, errors } = await execute({
    runtime,
    principal,
    ...parameters,
    deadline: AbortSignal.timeout(DEADLINE_MS),
    requestId: ctx.state.requestId,
    idempotencyKey: ctx.get("Idempotency-Key") || undefined,
  });
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
    operation = getOperationAST(parse(query, { maxTokens: 2_000 }), operationName)?.operation;
  } catch {
    return;
  }
  if (operation === "mutation")
    throw new AppError("method", "send mutations with POST", { headers: { Allow: "POST" } });
}

/** Answers a request that ended before execution. */
function refuse(runtime: Runtime, ctx: Koa.Context, thrown: unknown): void {
  const error: GraphQLFormattedError = formatted(thrown, runtime.log, ctx.state.requestId);
  ctx.status = thrown instanceof AppError ? statusOf(thrown) : thrown instanceof Unavailable ? 503 : 500;
  const retryAfter =
    thrown instanceof Unavailable ? thrown.retryAfter : thrown instanceof AppError && thrown.details.retryAfter;
  if (retryAfter) ctx.set("Retry-After", String(retryAfter));
  if (thrown instanceof AppError && thrown.details.headers) ctx.set(thrown.details.headers);
  ctx.type = `${mediaType(ctx)}; charset=utf-8`;
  ctx.body = JSON.stringify({ errors: [error] });
}
