import type Koa from "koa";
import { findExceededJsonLimit, isDeeper, isObject } from "../../../formats/json.ts";
import { AppError, inputError } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import { readBody } from "../../request-body.ts";
import { isSchemaName, type SchemaName } from "../schema.ts";

/** Parameters of a GraphQL request, as the "GraphQL over HTTP" specification defines them. */
export interface GraphQLParameters {
  query: string;
  variables: Readonly<Record<string, unknown>>;
  operationName: string | undefined;
  /** Name of the schema that introspection shows, from the URL parameter `schema`. */
  shown: SchemaName;
}

const MAX_BYTES = 4 * 1024 * 1024;
const BODY = {
  maxBytes: MAX_BYTES,
  tooLarge: `the body must be at most ${MAX_BYTES} bytes`,
  cutOff: "the body did not arrive whole",
};
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
/**
 * Maximum nesting and number of values in a request body. Every valid input stays within the limits: even a batch of 50
 * issues with 100 labels each stays far below.
 */
const EXTENT = { levels: 32, values: 10_000 };
/** Maximum characters of a document. Clients send long values as variables. */
const MAX_QUERY = 512 * 1024;
/** A body of this size parses in a few milliseconds, regardless of the content. */
const SMALL_BYTES = 32 * 1024;

/**
 * Reads the parameters of a POST from its JSON body, or of a GET from its query string.
 * @throws AppError for another method (405), type (415) or size (413), or for malformed parameters (400)
 */
export async function readGraphQLParameters(ctx: Koa.Context): Promise<GraphQLParameters> {
  const shown = ctx.query.schema ?? "native";
  if (!isSchemaName(shown)) throw inputError("schema must be native or linear", "schema");
  if (ctx.method === "GET" || ctx.method === "HEAD")
    return { ...checked({ ...ctx.query, variables: decoded(ctx.query.variables) }), shown };
  if (ctx.method !== "POST") {
    throw new AppError("method", "/graphql takes POST, and GET for queries", { headers: { Allow: "GET, POST" } });
  }
  if (!JSON_TYPE.test(ctx.get("Content-Type")))
    throw new AppError("unsupported", "send JSON, with Content-Type: application/json");
  if ((ctx.get("Content-Encoding") || "identity") !== "identity") {
    const headers = { "Accept-Encoding": "identity" };
    throw new AppError("unsupported", "send the body as it is, without Content-Encoding", { headers });
  }
  return { ...checked(parsed(await readBody(ctx.req, BODY))), shown };
}

function parsed(bytes: Buffer): unknown {
  if (bytes.length > SMALL_BYTES && findExceededJsonLimit(bytes, EXTENT)) throw tooMuch();
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString());
  } catch {
    throw inputError("the body is not valid JSON");
  }
  if (isDeeper(body, EXTENT.levels)) throw tooMuch();
  return body;
}

const tooMuch = () =>
  inputError(
    `the body may hold at most ${EXTENT.values} values, nested at most ${EXTENT.levels} levels deep`,
    "variables",
  );

function decoded(text: string | string[] | undefined): unknown {
  if (typeof text !== "string" || text === "") return undefined;
  return parsed(Buffer.from(text));
}

function checked(body: unknown): Omit<GraphQLParameters, "shown"> {
  if (Array.isArray(body)) throw inputError("send one operation per request: arrays of requests are not supported");
  if (!isObject(body)) throw inputError("the body must be a JSON object with a query");
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== "string" || query === "") throw inputError("query must be a GraphQL document", "query");
  if (query.length > MAX_QUERY)
    throw inputError(`query must have at most ${MAX_QUERY} characters; pass long values as variables`, "query");
  if (isGiven(variables) && !isObject(variables)) throw inputError("variables must be an object", "variables");
  if (isGiven(operationName) && typeof operationName !== "string")
    throw inputError("operationName must be a string", "operationName");
  if (isGiven(extensions) && !isObject(extensions)) throw inputError("extensions must be an object", "extensions");
  return {
    query,
    variables: isObject(variables) ? variables : {},
    operationName: operationName ? String(operationName) : undefined,
  };
}

export const GRAPHQL_RESPONSE_MEDIA_TYPE = "application/graphql-response+json";

/** Returns the media type of the response: GraphQL's own media type if the client prefers that type, otherwise JSON. */
export const selectResponseMediaType = (ctx: Koa.Context): string =>
  ctx.get("Accept").includes("graphql") &&
  ctx.accepts(["application/json", GRAPHQL_RESPONSE_MEDIA_TYPE]) === GRAPHQL_RESPONSE_MEDIA_TYPE
    ? GRAPHQL_RESPONSE_MEDIA_TYPE
    : "application/json";
