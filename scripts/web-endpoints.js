// @ts-check
// Generates web/data/endpoints.ts: the request and response types of the REST endpoints, from the declarations behind
// the OpenAPI document.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";
import { z } from "zod";

export const TARGET = join(fileURLToPath(new URL("..", import.meta.url)), "web/data/endpoints.ts");

/**
 * An endpoint as it is declared.
 * @typedef {object} Endpoint
 * @property {string} method
 * @property {string} path with `:name` for the parts that vary
 * @property {z.ZodType} [body]
 * @property {z.ZodObject} [query]
 * @property {Record<number, z.ZodType>} replies
 * @property {true} [takesRefreshToken] a page's cookie takes the place of this member of the body
 * @property {true} [takesBrowser] the same
 */

/** @typedef {import("json-schema-to-typescript").JSONSchema} JsonSchema */

/**
 * Generates the content of web/data/endpoints.ts: one interface whose members are named by method and path.
 * @param {readonly Endpoint[]} endpoints
 */
export function generate(endpoints) {
  const members = Object.fromEntries(
    endpoints.map((endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, typeOf(endpoint)]),
  );
  return compile(object(members), "Endpoints", {
    bannerComment: "// Written by `npm run web:types` from the declared endpoints.",
    style: { printWidth: 120 },
  });
}

/** @param {Endpoint} endpoint */
function typeOf({ path, body, query, replies, takesRefreshToken, takesBrowser }) {
  const ofCookie = [...(takesRefreshToken ? ["refreshToken"] : []), ...(takesBrowser ? ["browser"] : [])];
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return object({
    ...(names.length > 0 && { path: object(Object.fromEntries(names.map((name) => [name, { type: "string" }]))) }),
    ...(query && { query: toJsonSchema(query, "input") }),
    ...(body && { body: without(ofCookie, toJsonSchema(body, "input")) }),
    reply: { anyOf: Object.values(replies).map((reply) => toJsonSchema(reply, "output")) },
  });
}

/**
 * @param {readonly string[]} names
 * @param {JsonSchema} schema
 * @returns {JsonSchema}
 */
function without(names, schema) {
  if (names.length === 0) return schema;
  const isSent = (/** @type {string} */ name) => !names.includes(name);
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => isSent(name));
  const required = Array.isArray(schema.required) ? schema.required.filter(isSent) : [];
  return { ...schema, properties: Object.fromEntries(properties), required };
}

/**
 * @param {z.ZodType} schema
 * @param {"input" | "output"} io
 */
const toJsonSchema = (schema, io) => /** @type {JsonSchema} */ (z.toJSONSchema(schema, { io, override: plain }));

/**
 * Removes descriptions and list limits from a schema. The OpenAPI document has the descriptions, and list limits
 * would become one tuple type per length.
 * @param {{ jsonSchema: z.core.JSONSchema.BaseSchema }} of
 */
function plain({ jsonSchema }) {
  for (const name of /** @type {const} */ (["description", "minItems", "maxItems"])) delete jsonSchema[name];
}

/**
 * @param {Record<string, JsonSchema>} properties all of them required
 * @returns {JsonSchema}
 */
const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
