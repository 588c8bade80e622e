import { createCache, textBytes } from "../../cache.ts";
import { GETTER_BYTES } from "../../read/row.ts";
import type { Plan } from "./plan.ts";

/** The plans of one operation, by the shape of its arguments. What was set may be gone at any time. */
export interface Plans {
  get(shape: string): Plan | undefined;
  set(shape: string, plan: Plan): void;
}

/** Measured: 1.5 KB beside text and getters at most, for the objects of the plan and its shape. */
const PLAN_BYTES = 1_500;

/** The plans of all operations share one bound: a document with many shapes takes from the others, not from the process. */
const all = createCache<Plan>({
  name: "plans",
  sizeOf: ({ text, getters, ends }) => PLAN_BYTES + textBytes(text) + GETTER_BYTES * getters.length + 8 * ends.length,
});
let last = 0;

/** Room for the plans of an operation that is kept. */
export function newPlans(): Plans {
  last += 1;
  const own = last;
  return { get: (shape) => all.get(`${own} ${shape}`), set: (shape, plan) => void all.set(`${own} ${shape}`, plan) };
}
