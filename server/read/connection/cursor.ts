import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import type { SqlRow, ValueType } from "../entity.ts";
import { type JsonSql, jsonToTextSql, parameterCast, valueJson } from "../json.ts";
import { bindParameter, columnSql } from "../row.ts";
import { descendsById, idType, type Order } from "./order.ts";

/**
 * JSON of a row's cursor: base64 of the order's signature, the value of each step, and the id.
 * @param pick selects the value of a single row when the rows are aggregated
 */
export function cursorJson(row: SqlRow, order: Order, pick = (sql: string): string => sql): JsonSql {
  const values = order.steps.flatMap((step) => [",", ...valueJson(step.type, pick(step.sql(row)), !step.nullable)]);
  const text = jsonToTextSql([
    `["${order.signature}"`,
    ...values,
    ",",
    ...valueJson(idType(row), pick(columnSql(row, "id")), true),
    "]",
  ]);
  return ['"', { sql: `translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'\\n', '')` }, '"'];
}

/**
 * SQL condition for the rows after the cursor's entry, or with `before`, for the rows ahead of the entry.
 * @throws inputError on evaluation, if the cursor is malformed or belongs to another order.
 */
export function cursorConditionSql(
  row: SqlRow,
  order: Order,
  cursor: { argumentIndex: number; name: "after" | "before" },
): string {
  const key = `${cursor.argumentIndex}.${cursor.name}`;
  const part = (at: number, cast: string) =>
    bindParameter(
      row.build,
      `${key}.${at}`,
      cast,
      ({ args }) => decode(String(args[cursor.argumentIndex]?.[cursor.name]), order, row)[at],
    );
  const idCast = parameterCast(idType(row));
  const back = cursor.name === "before";
  const id = `${columnSql(row, "id")} ${descendsById(order) !== back ? "<" : ">"} ${part(order.steps.length, idCast)}`;
  const only = order.steps[0];
  if (order.steps.length === 1 && only && !only.nullable) {
    const sign = only.descending !== back ? "<" : ">";
    return `(${only.sql(row)}, ${columnSql(row, "id")}) ${sign} (${part(0, parameterCast(only.type))}, ${part(1, idCast)})`;
  }
  return order.steps.reduceRight((rest, step, at) => {
    const value = step.sql(row);
    const operand = part(at, parameterCast(step.type));
    const further = `${value} ${step.descending !== back ? "<" : ">"} ${operand}`;
    // An index scan can start at this comparison of the first step, but not at the combined condition.
    const begins = `${value} ${step.descending !== back ? "<=" : ">="} ${operand}`;
    if (!step.nullable) return `(${begins} and (${further} or ${rest}))`;
    const nullsAhead = step.nullsFirst !== back;
    const past = nullsAhead
      ? `(${further} or (${operand} is null and ${value} is not null))`
      : `(${further} or (${operand} is not null and ${value} is null))`;
    return `(${past} or (${value} is not distinct from ${operand} and ${rest}))`;
  }, id);
}

/** Reads a cursor of this order: the value of each step as text or number, and the id. */
function decode(cursor: string, order: Order, row: SqlRow): unknown[] {
  const parts = parse(cursor);
  if (!parts) throw inputError("the cursor is malformed; pass an endCursor or startCursor as it was returned", "after");
  const [signature, ...values] = parts;
  if (signature !== order.signature) {
    throw inputError("the cursor belongs to another ordering; keep orderBy and sort the same on every page", "after");
  }
  const id = values.at(-1);
  const sound = values.length === order.steps.length + 1 && id !== null && fits(idType(row), id);
  if (!sound || !order.steps.every((step, at) => fits(step.type, values[at]))) {
    throw inputError("the cursor is malformed; pass an endCursor or startCursor as it was returned", "after");
  }
  return values;
}

function parse(cursor: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64").toString("utf8"));
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if a cursor step of this type can contain the value. */
function fits(type: ValueType, value: unknown): boolean {
  if (value === null) return true;
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "float") return typeof value === "number";
  if (typeof value !== "string" || value.includes("\0")) return false;
  if (type === "uuid") return isUuid(value);
  if (type === "timestamp") return isMoment(value);
  return type !== "date" || isMoment(`${value}T00:00:00.000Z`);
}

/** Returns true if a text is an existing point in time, in wire format, that PostgreSQL accepts. */
function isMoment(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text && !text.startsWith("0000");
}
