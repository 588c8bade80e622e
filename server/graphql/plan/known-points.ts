import type { Selection } from "../../read/selection.ts";
import { pointsOf } from "../document/complexity.ts";
import type { Ready } from "../request.ts";
import { planKey } from "./plan-key.ts";

/** Arguments that count for nothing, or are in the key of a plan as they are. */
const PLAIN = new Set(["id", "first", "last", "after", "before", "orderBy", "includeArchived", "includeDisabled"]);

/** Points of an operation: remembered with its plan, which has page sizes in its key, unless another argument may count. */
export function knownPoints({ node, operation, args }: Ready, selected: readonly Selection[]): number {
  const plan =
    node.operation === "query" && args.every(isPlain)
      ? operation.plans.get(planKey(operation.fieldArguments, args))
      : undefined;
  const points = plan?.points ?? pointsOf(selected, args);
  if (plan) plan.points = points;
  return points;
}

function isPlain(given: Readonly<Record<string, unknown>>): boolean {
  for (const name in given) if (!PLAIN.has(name)) return false;
  return true;
}
