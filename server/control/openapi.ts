import { z } from "zod";
import { getOwnProperty } from "../../formats/own.ts";
import manifest from "../../package.json" with { type: "json" };
import { errorBodySchema } from "./failure.ts";
import type { Route } from "./route.ts";

/** Tags, paths and schemas that another part of the server adds to the OpenAPI document. */
export interface OpenApiPart {
  tags: readonly { name: string; description: string }[];
  paths: Json;
  schemas: Json;
  securitySchemes: Json;
}

/** Builds the OpenAPI 3.1 document of the declared routes and of the other parts. */
export function buildOpenApi(routes: readonly Route[], others: OpenApiPart): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...getOwnProperty(paths, path), [route.method]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Trackway",
      version: manifest.version,
      description:
        "API for accounts, organizations, keys, webhooks, health checks and the recording of agents. The issue tracker's API is at /graphql.",
      contact: { name: "Operator of this server" },
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: "/" }],
    tags: [
      ...[...new Set(routes.map((route) => route.tag))].map((name) => ({
        name,
        description: getOwnProperty(TAGS, name) ?? name,
      })),
      ...others.tags,
    ],
    paths: { ...paths, ...others.paths },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" }, ...others.securitySchemes },
      schemas: { Failure: jsonSchema(errorBodySchema), ...others.schemas },
    },
  };
}

const TAGS: Record<string, string> = {
  Account: "Sign-up, login and token refresh.",
  "Sign-in": "Sign-in with the OpenID provider of an organization. Owners configure the provider.",
  Organization: "Organizations.",
  Members: "Members of an organization, and invitations.",
  "Personal keys": "Keys for /graphql and MCP. Users manage their own keys.",
  Connections: "Apps that act on your behalf over OAuth. Users manage their own connected apps.",
  "Ingest keys": "Keys that write events. Owners manage the keys of the organization.",
  Webhooks: "URLs to which the server sends changes. Owners manage webhooks.",
  Health: "Checks for probes and load balancers.",
};

function operation(route: Route): Json {
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: security(route),
    ...parameters(route),
    ...(route.body && { requestBody: { required: true, content: jsonContent(jsonSchema(route.body, "input")) } }),
    responses: responses(route),
  };
}

const operationId = ({ method, path }: Route) =>
  method + path.replace(/^\/api/, "").replace(/[/:-]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function security(route: Route): Json[] {
  if (route.access === "public") return [];
  return route.access === "optional" ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

function parameters(route: Route): Json {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", format: "uuid" },
  }));
  const query = Object.entries(route.query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = jsonSchema(schema, "input");
    return { name, in: "query", required: false, ...(description ? { description } : {}), schema: rest };
  });
  const all = [...inPath, ...query];
  return all.length > 0 ? { parameters: all } : {};
}

/** Node itself rejects requests with too long headers, before any middleware and with an empty body. */
const TOO_LONG = { description: "The request's headers are longer than 16 KiB; the server closes the connection." };

/** Returns the responses of a route, by status. */
function responses(route: Route): Json {
  return { ...failures(route), 431: TOO_LONG, ...successes(route) };
}

const successes = (route: Route) =>
  Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => [
      status,
      { description: getOwnProperty(DESCRIPTIONS, status) ?? "Done.", content: jsonContent(jsonSchema(schema)) },
    ]),
  );

const DESCRIPTIONS: Record<string, string> = { 201: "Created.", 202: "Accepted.", 503: "Not ready." };

function failures(route: Route): Json {
  const common = COMMON.filter(([, applies]) => applies(route)).map(([status, , meaning]) => [status, meaning]);
  const meanings: Record<string, string> = { ...Object.fromEntries(common), ...route.errors };
  return Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => [
      status,
      { description, content: jsonContent({ $ref: "#/components/schemas/Failure" }) },
    ]),
  );
}

/** Errors that follow from a route's declaration, with their descriptions. */
const COMMON: [number, (route: Route) => unknown, string][] = [
  [
    400,
    (route) => route.body || route.query,
    "A field is missing, malformed or unknown (`invalid_input`, `invalid_json`).",
  ],
  [401, (route) => route.access !== "public", "The bearer token is missing or not valid (`unauthorized`)."],
  [
    403,
    (route) => route.access === "account" || route.access === "optional",
    "The user signed in with an organization's OpenID provider; this login is valid only for that organization (`organization_login`).",
  ],
  [403, (route) => organizational(route), "The token is not for an organization (`organization_required`)."],
  [
    403,
    (route) => route.access === "owner",
    "The token is not for an organization (`organization_required`), or the caller is not an owner of the organization (`forbidden`).",
  ],
  [404, (route) => route.path.includes(":"), "The resource does not exist (`not_found`)."],
  [413, (route) => route.body, "The body is too large (`payload_too_large`)."],
  [415, (route) => route.body, "The body is not JSON, or is compressed (`unsupported_media_type`)."],
  [500, () => true, "Internal server error (`internal_error`)."],
  [
    503,
    () => true,
    "The server is busy or restarting. Retry after the number of seconds in `Retry-After` (`unavailable`).",
  ],
];

const organizational = (route: Route) => route.access === "member" || route.access === "owner";

/** A JSON object of the OpenAPI document. */
type Json = Record<string, unknown>;

const jsonContent = (schema: Json) => ({ "application/json": { schema } });

/** Returns the JSON Schema of a zod schema. */
function jsonSchema(schema: z.ZodType, io: "input" | "output" = "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => tidied(jsonSchema) });
  return rest;
}

/** Removes patterns that a format already expresses, and limits that hold for every JSON number. */
function tidied(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === "uuid" || schema.format === "date-time") delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
