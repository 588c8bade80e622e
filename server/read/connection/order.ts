import { inputError } from "../../errors.ts";
import { isUuid } from "../../id.ts";
import type { SqlRow, ValueType } from "../entity.ts";
import { castOf, type Json, textSql, valueJson } from "../json.ts";
import { bind, column, fieldValue } from "../row.ts";

/** One step of an ordering. */
interface Step {
  name: string;
  descending: boolean;
  nullsFirst: boolean;
  nullable: boolean;
  type: ValueType;
  sql(row: SqlRow): string;
}

/** A total order of a list: its steps and then the id, with a mark that tells it from every other ordering. */
export interface Order {
  mark: string;
  steps: readonly Step[];
}

/** How `sort` names an ordering: one field with a direction and a place for entries without a value. */
type SortInput = Readonly<Record<string, { order?: string; nulls?: string } | null | undefined>>;

const MAX_STEPS = 5;

/**
 * The order a list is asked for: `sort` when given, else `orderBy` (createdAt by default), newest first unless it is
 * a course of events.
 * @throws inputError when a sort step names no field, several, or one that is not there.
 */
export function orderOf(row: SqlRow, args: Readonly<Record<string, unknown>>, oldestFirst = false): Order {
  const sort = (args.sort ?? []) as readonly SortInput[];
  if (sort.length > MAX_STEPS) throw inputError(`sort takes at most ${MAX_STEPS} steps`, "sort");
  const steps =
    sort.length > 0
      ? sort.map((step) => sortStep(row, step))
      : [moment(String(args.orderBy ?? "createdAt"), oldestFirst)];
  const mark = steps.map((step) => `${step.name}${step.descending ? "-" : "+"}${step.nullsFirst ? "n" : ""}`).join(",");
  return { mark, steps };
}

const moment = (name: string, oldestFirst: boolean): Step => ({
  name,
  descending: !oldestFirst,
  nullsFirst: false,
  nullable: false,
  type: "timestamp",
  sql: (row) => column(row, name),
});

function sortStep(row: SqlRow, input: SortInput): Step {
  const [entry, another] = Object.entries(input).filter(([, value]) => value);
  if (!entry?.[1] || another) throw inputError("each sort step names exactly one field", "sort");
  const [name, { order, nulls }] = entry;
  const own = row.entity.sorts?.[name];
  const type = own?.type ?? fieldValue(row, name)?.type;
  if (!type) throw inputError(`cannot sort by ${name}`, "sort");
  return {
    name,
    descending: order === "Descending",
    nullsFirst: nulls === "first",
    nullable: true,
    type,
    sql: own?.sql ?? ((target) => fieldValue(target, name)?.sql ?? "null"),
  };
}

/** ORDER BY of the order, turned round when a page is read from its end. */
export function orderBy(row: SqlRow, order: Order, backward: boolean): string {
  const steps = order.steps.flatMap((step) => {
    const direction = step.descending !== backward ? "desc" : "asc";
    const nulls = step.nullable ? [`(${step.sql(row)} is null) ${step.nullsFirst !== backward ? "desc" : "asc"}`] : [];
    return [...nulls, `${step.sql(row)} ${direction}`];
  });
  return [...steps, `${column(row, "id")} ${descendingId(order) !== backward ? "desc" : "asc"}`].join(", ");
}

/** Most ids are UUIDs; those of recorded users are what the sender calls them. */
const idType = (row: SqlRow): ValueType => row.entity.columns.id ?? "uuid";

const descendingId = (order: Order): boolean => order.steps.at(-1)?.descending ?? true;

/** JSON of the cursor of a row: base64 of the mark, the value of each step, and the id. */
export function cursorJson(row: SqlRow, order: Order): Json {
  const values = order.steps.flatMap((step) => [",", ...valueJson(step.type, step.sql(row), !step.nullable)]);
  const text = textSql([`["${order.mark}"`, ...values, ",", ...valueJson(idType(row), column(row, "id"), true), "]"]);
  return ['"', { sql: `translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'\\n', '')` }, '"'];
}

/**
 * The condition that a row comes after (with `before`: ahead of) the entry that a cursor names.
 * @throws inputError when it is evaluated, for a cursor that is malformed or of another ordering.
 */
export function cursorCondition(
  row: SqlRow,
  order: Order,
  cursor: { argumentIndex: number; name: "after" | "before" },
): string {
  const key = `${cursor.argumentIndex}.${cursor.name}`;
  const part = (at: number, cast: string) =>
    bind(
      row.build,
      `${key}.${at}`,
      cast,
      ({ args }) => decode(String(args[cursor.argumentIndex]?.[cursor.name]), order, row)[at],
    );
  const idCast = castOf(idType(row));
  const back = cursor.name === "before";
  const id = `${column(row, "id")} ${descendingId(order) !== back ? "<" : ">"} ${part(order.steps.length, idCast)}`;
  const only = order.steps[0];
  if (order.steps.length === 1 && only && !only.nullable) {
    const sign = only.descending !== back ? "<" : ">";
    return `(${only.sql(row)}, ${column(row, "id")}) ${sign} (${part(0, castOf(only.type))}, ${part(1, idCast)})`;
  }
  return order.steps.reduceRight((rest, step, at) => {
    const value = step.sql(row);
    const mark = part(at, castOf(step.type));
    const further = `${value} ${step.descending !== back ? "<" : ">"} ${mark}`;
    const nullsAhead = step.nullsFirst !== back;
    const past = nullsAhead
      ? `(${further} or (${mark} is null and ${value} is not null))`
      : `(${further} or (${mark} is not null and ${value} is null))`;
    return `(${past} or (${value} is not distinct from ${mark} and ${rest}))`;
  }, id);
}

/** Reads a cursor of this ordering: the value of each step as text or number, and the id. */
function decode(cursor: string, order: Order, row: SqlRow): unknown[] {
  const parts = parse(cursor);
  if (!parts) throw inputError("the cursor is malformed; pass an endCursor or startCursor as it was returned", "after");
  const [mark, ...values] = parts;
  if (mark !== order.mark) {
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

/** Whether a value can be one that a cursor of this type was made from. */
function fits(type: ValueType, value: unknown): boolean {
  if (value === null) return true;
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "float") return typeof value === "number";
  if (typeof value !== "string" || value.includes("\0")) return false;
  if (type === "uuid") return isUuid(value);
  if (type === "timestamp") return isMoment(value);
  return type !== "date" || isMoment(`${value}T00:00:00.000Z`);
}

/** Whether a text is a moment as it is shown: one that exists, and that PostgreSQL takes. */
function isMoment(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text && !text.startsWith("0000");
}
