import { sizeOf } from "../../read/connection/page.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { model, rootMany, rootValues } from "../../resources/index.ts";

type Values = Readonly<Record<string, unknown>>;

/** The entries of a list that has no pages and does not declare how many there can be. */
const UNPAGED = 50;

/** The parent of a field: its type, and the arguments of the field that led there. */
export interface Parent {
  type: string;
  args: Values;
}

/** The parent of root fields. */
export const ROOT: Parent = { type: "", args: {} };

/** The number of entries that a list counts for: those asked for, or the most that there can be where that is less. */
export function entriesOf(selection: Selection, args: readonly Values[], parent: Parent): number {
  if (selection.constant !== undefined) return 1;
  const most = mostOf(selection.field, parent);
  if (selection.connection) return Math.min(sizeOf(argsOf(selection, args)), most ?? Number.MAX_SAFE_INTEGER);
  if (!selection.list) return 1;
  return most ?? namedIn(argsOf(selection, args)) ?? namedIn(parent.args) ?? (model.has(selection.type) ? UNPAGED : 1);
}

/** The most entries that are declared for a list. */
function mostOf(field: string, { type }: Parent): number | undefined {
  if (type === "") return rootMany[field]?.most ?? rootValues[field]?.most;
  return model.get(type)?.many?.[field]?.most ?? OTHERS[`${type}.${field}`];
}

/** Lists of types that are no entities. */
const OTHERS: Readonly<Record<string, number>> = { "RateLimitPayload.limits": 2 };

/** A mutation of several rows answers as many as its arguments name. */
function namedIn({ ids, input }: Values): number | undefined {
  const { issues, rows } = (input ?? {}) as Values;
  const named = ids ?? issues ?? rows;
  return Array.isArray(named) ? named.length : undefined;
}
