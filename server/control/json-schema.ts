import { z } from "zod";

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
