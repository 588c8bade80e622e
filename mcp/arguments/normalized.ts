import { z } from "zod";

/**
 * The value without the members that are null, at every depth: strict function calling makes models write null for
 * what they leave out. Members the schema does not have stay, so that they are found to be unknown. Words that a schema
 * lists match in any case.
 */
export function normalized(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return normalized(schema.unwrap(), value);
  if (schema instanceof z.ZodEnum && typeof value === "string") {
    return schema.options.find((option) => String(option).toLowerCase() === value.toLowerCase()) ?? value;
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => normalized(schema.element, item));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const { shape } = schema;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => member !== null || !Object.hasOwn(shape, key))
      .map(([key, member]) => [key, Object.hasOwn(shape, key) ? normalized(shape[key], member) : member]),
  );
}
