import type { Statement } from "../../../db/open.ts";
import type { App } from "../../../server/app.ts";

/** Step of a plan, as EXPLAIN (ANALYZE, FORMAT JSON) reports it. */
export interface PlanStep {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "CTE Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: PlanStep[];
}

/** Returns a step and all steps below it. */
export const listPlanSteps = (step: PlanStep): PlanStep[] => [step, ...(step.Plans ?? []).flatMap(listPlanSteps)];

/** Counts the rows that a step reads, including the rows that a filter removes. */
export const countStepRows = (step: PlanStep): number =>
  step["Actual Loops"] *
  (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0) + (step["Rows Removed by Index Recheck"] ?? 0));

/**
 * Counts the rows that a statement reads: per table and common table expression, of lists that are expanded into rows
 * (`lists`), and of pairs that joins compared and dropped (`compared`).
 */
export async function countRowsRead({ runtime }: App, { text, values }: Statement): Promise<Record<string, number>> {
  const [row] = await runtime.db.query<Record<string, [{ Plan: PlanStep }]>>({
    text: `explain (analyze, timing off, format json) ${text}`,
    values: values ?? [],
  });
  const plans = row?.["QUERY PLAN"];
  if (!plans) throw new Error("no plan");
  const read: Record<string, number> = {};
  for (const step of listPlanSteps(plans[0].Plan)) {
    const apart = step["Actual Loops"] * (step["Rows Removed by Join Filter"] ?? 0);
    if (apart > 0) read["compared"] = (read["compared"] ?? 0) + apart;
    const name =
      step["Relation Name"] ??
      step["CTE Name"] ??
      (/ProjectSet|Function Scan/.test(step["Node Type"]) ? "lists" : undefined);
    if (name) read[name] = (read[name] ?? 0) + countStepRows(step);
  }
  return read;
}
