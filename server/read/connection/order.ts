import { readOwn } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { SqlRow, ValueType } from "../entity.ts";
import { column, fieldValue } from "../row.ts";

/** One step of an ordering. */
interface Step {
  name: string;
  descending: boolean;
  nullsFirst: boolean;
  nullable: boolean;
  type: ValueType;
  /** True if an index has the rows in this order, or the link to few rows by which a page of each is enough. */
  served: boolean | { by: string };
  sql(row: SqlRow): string;
}

/** A total order of a list: its steps and then the id, with a signature that every other order differs from. */
export interface Order {
  signature: string;
  steps: readonly Step[];
}

/** An ordering as `sort` names it: one field with a direction, and whether entries without a value come first or last. */
type SortInput = Readonly<Record<string, { order?: string; nulls?: string } | null | undefined>>;

const MAX_STEPS = 5;
/** Values that every row has. */
const ALWAYS = new Set(["createdAt", "updatedAt"]);

/**
 * The order a list is asked for: `sort` when given, else `orderBy` (createdAt by default), newest first unless the
 * list is declared `oldestFirst`.
 * @throws inputError when a sort step names no field, several, or one that is not there.
 */
export function orderOf(row: SqlRow, args: Readonly<Record<string, unknown>>, oldestFirst = false): Order {
  const sort = (args.sort ?? []) as readonly SortInput[];
  if (sort.length > MAX_STEPS) throw inputError(`sort takes at most ${MAX_STEPS} steps`, "sort");
  const steps =
    sort.length > 0
      ? sort.flatMap((step) => sortSteps(row, step))
      : [moment(String(args.orderBy ?? "createdAt"), oldestFirst)];
  const [only, another] = steps;
  // Rows of the same place in the link's order come in the order of the index of that link.
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
  sql: (row) => column(row, name),
});

function sortSteps(row: SqlRow, input: SortInput): Step[] {
  const [entry, another] = Object.entries(input).filter(([, value]) => value);
  if (!entry?.[1] || another) throw inputError("each sort step names exactly one field", "sort");
  const [name, { order, nulls }] = entry;
  const turned = order === "Descending";
  const own = readOwn(row.entity.sorts, name);
  if (own && !("sql" in own))
    return own.map(({ type, sql, descending = false }, at) => {
      const step = { name: `${name}${at}`, type, sql, nullable: false, nullsFirst: false, served: false };
      return { ...step, descending: descending !== turned };
    });
  const type = own?.type ?? fieldValue(row, name)?.type;
  if (!type) throw inputError(`cannot sort by ${name}`, "sort");
  const sql = own?.sql ?? ((target: SqlRow) => fieldValue(target, name)?.sql ?? "null");
  const served =
    own?.by === undefined
      ? !own && (ALWAYS.has(name) || row.entity.tuning?.required?.includes(name) === true)
      : { by: own.by };
  const nullable = !(own ? own.required : ALWAYS.has(name) || row.entity.tuning?.required?.includes(name));
  return [{ name, descending: turned, nullsFirst: nullable && nulls === "first", nullable, type, served, sql }];
}

/** ORDER BY of the order, turned round when a page is read from its end. */
export function orderBy(row: SqlRow, order: Order, backward: boolean): string {
  const steps = order.steps.flatMap((step) => {
    const direction = step.descending !== backward ? "desc" : "asc";
    const nulls = step.nullable ? [`(${step.sql(row)} is null) ${step.nullsFirst !== backward ? "desc" : "asc"}`] : [];
    return [...nulls, `${step.sql(row)} ${direction}`];
  });
  return [...steps, `${column(row, "id")} ${descendsById(order) !== backward ? "desc" : "asc"}`].join(", ");
}

/** Most ids are UUIDs; those of recorded users are what the sender calls them. */
export const idType = (row: SqlRow): ValueType => row.entity.columns.id ?? "uuid";

/** Tells whether ids, the last step of every order, descend: as the step before them does. */
export const descendsById = (order: Order): boolean => order.steps.at(-1)?.descending ?? true;
