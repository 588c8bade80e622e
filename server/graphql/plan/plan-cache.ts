import { createCache, textBytes } from "../../cache.ts";
import { GETTER_BYTES } from "../../read/row.ts";
import type { Plan } from "./plan.ts";

/** The cached plans of one operation, by plan key. An entry may be dropped at any time. */
export interface Plans {
  get(key: string): Plan | undefined;
  set(key: string, plan: Plan): void;
}

/** Measured: 1.5 KB beside text and getters at most, for the objects of the plan and its shape. */
const PLAN_BYTES = 1_500;

/** One cache for all operations: a document with many shapes pushes out plans of others, and the memory stays bounded. */
const all = createCache<Plan>({
  name: "plans",
  sizeOf: ({ text, getters, ends }) => PLAN_BYTES + textBytes(text) + GETTER_BYTES * getters.length + 8 * ends.length,
});
let last = 0;

/** The plan cache of an operation, under a prefix of its own. */
export function newPlans(): Plans {
  last += 1;
  const own = last;
  return { get: (shape) => all.get(`${own} ${shape}`), set: (shape, plan) => void all.set(`${own} ${shape}`, plan) };
}
