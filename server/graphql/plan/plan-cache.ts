import { createCache, measureTextBytes } from "../../cache.ts";
import { GETTER_BYTES } from "../../read/row.ts";
import type { Plan } from "./plan.ts";

/** Cached plans of one operation, by plan key. The cache may drop an entry at any time. */
export interface Plans {
  get(key: string): Plan | undefined;
  set(key: string, plan: Plan): void;
}

/** Measured: up to 1.5 KB for the objects of a plan and its shape, beside text and getters. */
const PLAN_BYTES = 1_500;

/**
 * One cache for the plans of all operations. A document with many shapes displaces plans of other documents, and the
 * memory stays limited.
 */
const all = createCache<Plan>({
  name: "plans",
  sizeOf: ({ text, getters, ends }) =>
    PLAN_BYTES + measureTextBytes(text) + GETTER_BYTES * getters.length + 8 * ends.length,
});
let last = 0;

/** Creates the plan cache of an operation, with its own key prefix. */
export function newPlans(): Plans {
  last += 1;
  const own = last;
  return { get: (shape) => all.get(`${own} ${shape}`), set: (shape, plan) => void all.set(`${own} ${shape}`, plan) };
}
