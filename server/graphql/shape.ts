import { isUuid } from "../id.ts";

/** Argument values that stand in the SQL itself rather than in a parameter. */
const LITERAL = new Set(["first", "last", "orderBy", "includeArchived", "includeDisabled", "order", "nulls", "null"]);

/**
 * What of the arguments a statement depends on: which are present, page sizes and orderings, the skeleton of filters.
 * Two requests of the same document and shape run the same statement with other parameters.
 */
export const shapeOf = (args: readonly Readonly<Record<string, unknown>>[]): string =>
  args.map((each) => part(each, "")).join(";");

function part(value: unknown, name: string): string {
  if (value === null || value === undefined) return "0";
  if (Array.isArray(value)) return list(value, name);
  if (typeof value === "object") {
    const members = Object.entries(value).map(([key, each]) => `${key}:${part(each, key)}`);
    return `{${members.join()}}`;
  }
  if (LITERAL.has(name)) return String(value);
  return typeof value === "string" && isUuid(value) ? "u" : "s";
}

/** A list of values is one parameter, but of ids that may be identifiers each kind is matched in its own way. */
function list(values: readonly unknown[], name: string): string {
  if (typeof values[0] === "object") return `[${values.map((each) => part(each, name)).join()}]`;
  const kinds = values.map((value) => part(value, ""));
  return kinds.includes("u") ? `[${kinds.join("")}]` : `[${values.length}]`;
}
