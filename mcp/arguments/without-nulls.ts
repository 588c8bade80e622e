import { z } from "zod";

/**
 * The value without the members that are null, at every depth: strict function calling makes models write null for
 * what they leave out. Members the schema does not have stay, so that they are found to be unknown.
 */
export function withoutNulls(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return withoutNulls(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutNulls(schema.element, item));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const { shape } = schema;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => member !== null || !Object.hasOwn(shape, key))
      .map(([key, member]) => [key, Object.hasOwn(shape, key) ? withoutNulls(shape[key], member) : member]),
  );
}
