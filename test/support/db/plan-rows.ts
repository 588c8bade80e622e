import type { Statement } from "../../../db/open.ts";
import type { App } from "../../../server/app.ts";

/** A step of a plan, as EXPLAIN (ANALYZE, FORMAT JSON) shows it. */
export interface Step {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "CTE Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Step[];
}

/** A step and all below it. */
export const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

/** The number of rows that a step reads, those included that it leaves out. */
export const rowsOf = (step: Step): number =>
  step["Actual Loops"] *
  (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0) + (step["Rows Removed by Index Recheck"] ?? 0));

/**
 * The number of rows that a statement reads, of each table and common table expression, of lists that it spreads into rows
 * (`lists`), and of pairs that joins compared and left out (`compared`).
 */
export async function rowsRead({ runtime }: App, { text, values }: Statement): Promise<Record<string, number>> {
  const [row] = await runtime.db.query<Record<string, [{ Plan: Step }]>>({
    text: `explain (analyze, timing off, format json) ${text}`,
    values: values ?? [],
  });
  const plans = row?.["QUERY PLAN"];
  if (!plans) throw new Error("no plan");
  const read: Record<string, number> = {};
  for (const step of stepsOf(plans[0].Plan)) {
    const apart = step["Actual Loops"] * (step["Rows Removed by Join Filter"] ?? 0);
    if (apart > 0) read["compared"] = (read["compared"] ?? 0) + apart;
    const name =
      step["Relation Name"] ??
      step["CTE Name"] ??
      (/ProjectSet|Function Scan/.test(step["Node Type"]) ? "lists" : undefined);
    if (name) read[name] = (read[name] ?? 0) + rowsOf(step);
  }
  return read;
}
