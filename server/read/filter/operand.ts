import { isUuid } from "../../id.ts";
import type { ValueType } from "../entity.ts";

/** No row has this id. A text that is no UUID is replaced by it, and so is unequal to every id. */
const NO_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** An operand as a parameter. */
export function toOperand(value: unknown, type: ValueType, comparator: string): unknown {
  if (type === "uuid") return isUuid(String(value)) ? value : NO_ID;
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
