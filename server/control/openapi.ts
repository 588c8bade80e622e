import { z } from "zod";
import { readOwn } from "../../formats/own.ts";
import manifest from "../../package.json" with { type: "json" };
import { failureBody } from "./failure.ts";
import type { Route } from "./route.ts";

/** The members of the document about another part of the server. */
export interface Part {
  tags: readonly { name: string; description: string }[];
  paths: Json;
  schemas: Json;
  securitySchemes: Json;
}

/** The OpenAPI 3.1 document of the declared routes, and of the other parts. */
export function openApi(routes: readonly Route[], others: Part): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...readOwn(paths, path), [route.method]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Trackway",
      version: manifest.version,
      description:
        "Accounts, organizations, keys, webhooks, health, and the recording of agents. The tracker is at /graphql.",
      contact: { name: "Whoever runs this server" },
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: "/" }],
    tags: [
      ...[...new Set(routes.map((route) => route.tag))].map((name) => ({
        name,
        description: readOwn(TAGS, name) ?? name,
      })),
      ...others.tags,
    ],
    paths: { ...paths, ...others.paths },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" }, ...others.securitySchemes },
      schemas: { Failure: jsonSchema(failureBody), ...others.schemas },
    },
  };
}

const TAGS: Record<string, string> = {
  Account: "Sign-up, login, and what keeps a login alive.",
  "Sign-in": "Sign-in by an organization's OpenID provider, which its owners set.",
  Organization: "Organizations.",
  Members: "Who belongs to an organization, and who is invited.",
  "Personal keys": "Keys for /graphql and MCP; everyone manages their own.",
  Connections: "Programs that act for you over OAuth; everyone manages their own.",
  "Ingest keys": "Keys that write events; owners manage the organization's.",
  Webhooks: "Where changes are delivered; owners manage them.",
  Health: "For probes and load balancers.",
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

/** Node itself refuses these, before any middleware: the answer has no body. */
const TOO_LONG = { description: "The request's headers are longer than 16 KiB; the connection is closed." };

/** The answers of a route, by status. */
function responses(route: Route): Json {
  return { ...failures(route), 431: TOO_LONG, ...successes(route) };
}

const successes = (route: Route) =>
  Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => [
      status,
      { description: readOwn(DESCRIPTIONS, status) ?? "Done.", content: jsonContent(jsonSchema(schema)) },
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

/** Failures that follow from a route's declaration, with their meaning. */
const COMMON: [number, (route: Route) => unknown, string][] = [
  [
    400,
    (route) => route.body || route.query,
    "A field is missing, malformed or unknown (`invalid_input`, `invalid_json`).",
  ],
  [401, (route) => route.access !== "public", "No bearer, or one that is not valid (`unauthorized`)."],
  [
    403,
    (route) => route.access === "account" || route.access === "optional",
    "The login was begun by an organization's OpenID provider, and opens that alone (`organization_login`).",
  ],
  [403, (route) => organizational(route), "The token carries no organization (`organization_required`)."],
  [
    403,
    (route) => route.access === "owner",
    "The token carries no organization (`organization_required`), or the caller is no owner of it (`forbidden`).",
  ],
  [404, (route) => route.path.includes(":"), "There is no such thing here (`not_found`)."],
  [413, (route) => route.body, "The body is too large (`payload_too_large`)."],
  [415, (route) => route.body, "The body is not JSON, or is compressed (`unsupported_media_type`)."],
  [500, () => true, "Something went wrong here (`internal_error`)."],
  [503, () => true, "Busy or starting again; `Retry-After` says when to try (`unavailable`)."],
];

const organizational = (route: Route) => route.access === "member" || route.access === "owner";

/** A JSON object of the document. */
type Json = Record<string, unknown>;

/** A body of JSON. */
const jsonContent = (schema: Json) => ({ "application/json": { schema } });

/** The JSON Schema of what zod checks. */
function jsonSchema(schema: z.ZodType, io: "input" | "output" = "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => tidied(jsonSchema) });
  return rest;
}

/** A format says it better than its pattern does, and bounds that every JSON number has need no saying. */
function tidied(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === "uuid" || schema.format === "date-time") delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
