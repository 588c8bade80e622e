import { isUuid } from "../../../formats/uuid.ts";
import { EVERY_ID } from "../../id.ts";
import type { ValueType } from "../entity.ts";

/** An operand as a parameter. */
export function toOperand(value: unknown, type: ValueType, comparator: string): unknown {
  // No row has this id: a text that is no UUID is unequal to every id.
  if (type === "uuid") return isUuid(String(value)) ? value : EVERY_ID;
  if (type === "integer") return toInteger(Number(value), comparator);
  return value;
}

/** The integer that integers compare with in the same way: with a fraction PostgreSQL would not use the index. */
function toInteger(value: number, comparator: string): number {
  if (!Number.isSafeInteger(Math.trunc(value))) return Math.sign(value) * Number.MAX_SAFE_INTEGER;
  if (comparator === "lt" || comparator === "gte") return Math.ceil(value);
  if (comparator === "gt" || comparator === "lte") return Math.floor(value);
  return Number.isInteger(value) ? value : Number.MAX_SAFE_INTEGER;
}
