import { z } from "zod";
import type { Route } from "./route.ts";

/** Node itself refuses these, before any middleware: the answer has no body. */
const TOO_LONG = { description: "The request's headers are longer than 16 KiB; the connection is closed." };

/** The answers of a route, by status. */
export function responses(route: Route): Json {
  return { ...failures(route), 431: TOO_LONG, ...successes(route) };
}

const successes = (route: Route) =>
  Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => [
      status,
      { description: DESCRIPTIONS[status] ?? "Done.", content: jsonContent(jsonSchema(schema)) },
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
export type Json = Record<string, unknown>;

/** A body of JSON. */
export const jsonContent = (schema: Json) => ({ "application/json": { schema } });

/** The JSON Schema of what zod checks. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output" = "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => tidied(jsonSchema) });
  return rest;
}

/** A format says it better than its pattern does, and bounds that every JSON number has need no saying. */
function tidied(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === "uuid" || schema.format === "date-time") delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
