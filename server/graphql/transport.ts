import type Koa from "koa";
import { koaBody } from "koa-body";
import { AppError, inputError } from "../errors.ts";

/** What a GraphQL request asks for, after the "GraphQL over HTTP" specification. */
export interface Parameters {
  query: string;
  variables: Readonly<Record<string, unknown>>;
  operationName: string | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;

const parse = koaBody({
  text: false,
  urlencoded: false,
  multipart: false,
  jsonTypes: ["application/json"],
  jsonLimit: MAX_BYTES,
  onError: (error: Error & { status?: number }) => {
    if (error.status === 413)
      throw new AppError("too_large", `the body must be at most ${MAX_BYTES} bytes`, { limit: MAX_BYTES });
    throw inputError("the body is not valid JSON");
  },
});

/**
 * Reads the parameters of a POST from its JSON body, of a GET from its query string.
 * @throws AppError for another method (405), type (415), size (413), or parameters of the wrong shape (400)
 */
export async function parametersOf(ctx: Koa.Context): Promise<Parameters> {
  if (ctx.method === "GET" || ctx.method === "HEAD")
    return checked({ ...ctx.query, variables: decoded(ctx.query.variables) });
  if (ctx.method !== "POST") {
    throw new AppError("method", "/graphql takes POST, and GET for queries", { headers: { Allow: "GET, POST" } });
  }
  if (!ctx.is("application/json")) throw new AppError("unsupported", "send JSON, with Content-Type: application/json");
  await parse(ctx, async () => {});
  return checked((ctx.request as { body?: unknown }).body);
}

function decoded(text: string | string[] | undefined): unknown {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw inputError("variables must be a JSON object", "variables");
  }
}

function checked(body: unknown): Parameters {
  if (Array.isArray(body)) throw inputError("send one operation a request: arrays of requests are not taken");
  if (!isObject(body)) throw inputError("the body must be a JSON object with a query");
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== "string" || query === "") throw inputError("query must be a GraphQL document", "query");
  if (present(variables) && !isObject(variables)) throw inputError("variables must be an object", "variables");
  if (present(operationName) && typeof operationName !== "string")
    throw inputError("operationName must be a string", "operationName");
  if (present(extensions) && !isObject(extensions) && typeof extensions !== "string")
    throw inputError("extensions must be an object", "extensions");
  return {
    query,
    variables: isObject(variables) ? variables : {},
    operationName: operationName ? String(operationName) : undefined,
  };
}

const present = (value: unknown): boolean => value !== undefined && value !== null;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const RESPONSE_TYPE = "application/graphql-response+json";

/** The media type to answer in: GraphQL's own when the client prefers it, else JSON. */
export const mediaType = (ctx: Koa.Context): string =>
  ctx.accepts(["application/json", RESPONSE_TYPE]) === RESPONSE_TYPE ? RESPONSE_TYPE : "application/json";
