import { createCache, measureTextBytes } from "../../cache.ts";
import { GETTER_BYTES } from "../../read/row.ts";
import type { CompiledPlan } from "./plan.ts";

/** Cached plans of one operation, by plan key. The cache may drop an entry at any time. */
export interface PlanCache {
  get(key: string): CompiledPlan | undefined;
  set(key: string, plan: CompiledPlan): void;
}

/**
 * Estimated bytes of a plan in addition to its text and getters. Measured: up to 1.5 KB for the objects of a plan and
 * its shape.
 */
const PLAN_BYTES = 1_500;

/**
 * One cache for the plans of all operations, so that memory stays limited. A document with many shapes evicts plans of
 * other documents.
 */
const all = createCache<CompiledPlan>({
  name: "plans",
  sizeOf: ({ text, getters, ends }) =>
    PLAN_BYTES + measureTextBytes(text) + GETTER_BYTES * getters.length + 8 * ends.length,
});
let last = 0;

/** Creates the plan cache of an operation, with its own key prefix. */
export function createPlanCache(): PlanCache {
  last += 1;
  const own = last;
  return { get: (shape) => all.get(`${own} ${shape}`), set: (shape, plan) => void all.set(`${own} ${shape}`, plan) };
}
