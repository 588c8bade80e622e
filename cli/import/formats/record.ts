import { isObject } from "../../../formats/json.ts";
import { UnreadableRecordError } from "../read/json.ts";
import { FaultyColumnError } from "../row.ts";

/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns a record that must be an object. @throws FaultyColumnError for any other value */
export function requireObject(record: unknown): JsonObject {
  if (record instanceof UnreadableRecordError)
    throw new FaultyColumnError("", `${record.message}; correct the row, or remove the row`);
  if (!isObject(record)) throw new FaultyColumnError("", "is not an object; correct the row, or remove the row");
  return record;
}

/** Returns a text or a number as a text; undefined for any other value. */
export const toText = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;

/**
 * Returns the objects of an array, or of the `nodes` of a GraphQL page. Turns any other element into an object whose
 * `name` is the element.
 */
export function listObjects(value: unknown): JsonObject[] {
  const list = Array.isArray(value) ? value : (value as { nodes?: unknown } | null | undefined)?.nodes;
  return Array.isArray(list)
    ? list.map((each) => (typeof each === "object" && each !== null ? each : { name: each }))
    : [];
}

/** Returns the value if it is an object, and otherwise an empty object. */
export const toObjectOrEmpty = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {};
