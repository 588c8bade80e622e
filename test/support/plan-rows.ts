import type { Statement } from "../../db/open.ts";
import type { App } from "../../server/app.ts";

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
}

/** How many rows a statement reads, of each table and of lists that it spreads into rows (`lists`). */
export async function rowsRead({ runtime }: App, { text, values }: Statement): Promise<Record<string, number>> {
  const [row] = await runtime.db.query<Record<string, [{ Plan: Node }]>>({
    text: `explain (analyze, timing off, format json) ${text}`,
    values: values ?? [],
  });
  const read: Record<string, number> = {};
  const plans = row?.["QUERY PLAN"];
  if (!plans) throw new Error("no plan");
  add(read, plans[0].Plan);
  return read;
}

function add(read: Record<string, number>, node: Node): void {
  const name = node["Relation Name"] ?? (/ProjectSet|Function Scan/.test(node["Node Type"]) ? "lists" : undefined);
  const each =
    node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  if (name) read[name] = (read[name] ?? 0) + each * node["Actual Loops"];
  for (const below of node.Plans ?? []) add(read, below);
}
