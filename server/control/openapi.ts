import manifest from "../../package.json" with { type: "json" };
import { failureBody } from "./failure.ts";
import { type Json, jsonContent, jsonSchema, responses } from "./openapi-responses.ts";
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
    paths[path] = { ...paths[path], [route.method]: operation(route) };
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
      ...[...new Set(routes.map((route) => route.tag))].map((name) => ({ name, description: TAGS[name] ?? name })),
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
