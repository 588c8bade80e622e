import { type Json, objectOf, textSql } from "../read/json.ts";
import { PRIORITIES } from "./fields.ts";
import type { RootValue } from "./resource.ts";

/** Root field `issuePriorityValues`: the priorities and their names. */
export const issuePriorityValues: RootValue = {
  most: PRIORITIES.length,
  sql: (_build, { children }) => {
    const values = PRIORITIES.map((label, priority) => {
      const known: Record<string, string> = { priority: String(priority), label: `"${label}"` };
      return objectOf(children.map(({ key, field, constant }) => [key, [constant ?? known[field] ?? "null"]] as const));
    });
    return textSql(["[", ...values.flatMap((value, at): Json => (at > 0 ? [",", ...value] : value)), "]"]);
  },
};
