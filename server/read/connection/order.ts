import { getOwnProperty } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { SqlRow, ValueType } from "../entity.ts";
import { columnSql, fieldSql } from "../row.ts";

interface Step {
  name: string;
  descending: boolean;
  nullsFirst: boolean;
  nullable: boolean;
  type: ValueType;
  /**
   * True if an index returns the rows in this order. If the rows of a small linked table determine the order, `by`
   * names the link to that table. An index that returns the rows of each linked row is then enough.
   */
  served: boolean | { by: string };
  sql(row: SqlRow): string;
}

/** A total order of a list: its steps, followed by the id. Two different orders have different signatures. */
export interface Order {
  signature: string;
  steps: readonly Step[];
}

/** An order in the argument `sort`: one field, its direction, and the position of null values. */
type SortInput = Readonly<Record<string, { order?: string; nulls?: string } | null | undefined>>;

const MAX_STEPS = 5;
/** Columns that every row has. */
const ALWAYS = new Set(["createdAt", "updatedAt"]);

/**
 * Returns the order of a list: `sort` if given, else `orderBy` (`createdAt` by default), newest first unless the list
 * is declared as `oldestFirst`.
 * @throws inputError if a sort step names no field, several fields, or an unknown field.
 */
export function parseOrder(row: SqlRow, args: Readonly<Record<string, unknown>>, oldestFirst = false): Order {
  const sort = (args.sort ?? []) as readonly SortInput[];
  if (sort.length > MAX_STEPS) throw inputError(`sort takes at most ${MAX_STEPS} steps`, "sort");
  const steps =
    sort.length > 0
      ? sort.flatMap((step) => sortSteps(row, step))
      : [moment(String(args.orderBy ?? "createdAt"), oldestFirst)];
  const [only, another] = steps;
  // Rows with the same linked row are sorted in the order of that link's index.
  if (only && !another && typeof only.served === "object") steps.push(moment("createdAt", !only.descending));
  const signature = steps
    .map((step) => `${step.name}${step.descending ? "-" : "+"}${step.nullsFirst ? "n" : ""}`)
    .join(",");
  return { signature, steps };
}

const moment = (name: string, oldestFirst: boolean): Step => ({
  name,
  descending: !oldestFirst,
  nullsFirst: false,
  nullable: false,
  type: "timestamp",
  served: true,
  sql: (row) => columnSql(row, name),
});

function sortSteps(row: SqlRow, input: SortInput): Step[] {
  const [entry, another] = Object.entries(input).filter(([, value]) => value);
  if (!entry?.[1] || another) throw inputError("each sort step names exactly one field", "sort");
  const [name, { order, nulls }] = entry;
  const turned = order === "Descending";
  const own = getOwnProperty(row.entity.sorts, name);
  if (own && !("sql" in own))
    return own.map(({ type, sql, descending = false }, at) => {
      const step = { name: `${name}${at}`, type, sql, nullable: false, nullsFirst: false, served: false };
      return { ...step, descending: descending !== turned };
    });
  const type = own?.type ?? fieldSql(row, name)?.type;
  if (!type) throw inputError(`cannot sort by ${name}`, "sort");
  const sql = own?.sql ?? ((target: SqlRow) => fieldSql(target, name)?.sql ?? "null");
  const served =
    own?.by === undefined
      ? !own && (ALWAYS.has(name) || row.entity.tuning?.required?.includes(name) === true)
      : { by: own.by };
  const nullable = !(own ? own.required : ALWAYS.has(name) || row.entity.tuning?.required?.includes(name));
  return [{ name, descending: turned, nullsFirst: nullable && nulls === "first", nullable, type, served, sql }];
}

/** Returns the ORDER BY of an order, reversed when a page is read from the end of the list. */
export function orderBySql(row: SqlRow, order: Order, backward: boolean): string {
  const steps = order.steps.flatMap((step) => {
    const direction = step.descending !== backward ? "desc" : "asc";
    const nulls = step.nullable ? [`(${step.sql(row)} is null) ${step.nullsFirst !== backward ? "desc" : "asc"}`] : [];
    return [...nulls, `${step.sql(row)} ${direction}`];
  });
  return [...steps, `${columnSql(row, "id")} ${descendsById(order) !== backward ? "desc" : "asc"}`].join(", ");
}

/** Most ids are UUIDs. Ids of recorded users are the texts that the agent reported. */
export const idType = (row: SqlRow): ValueType => row.entity.columns.id ?? "uuid";

/** Returns true if the id, the last step of every order, descends. The id has the same direction as the step before. */
export const descendsById = (order: Order): boolean => order.steps.at(-1)?.descending ?? true;
