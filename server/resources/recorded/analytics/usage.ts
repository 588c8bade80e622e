import { column } from "../../../read/row.ts";
import type { Resource } from "../../resource.ts";
import { computedRow } from "../computed-row.ts";
import { rangeScans } from "./range.ts";
import { daysIn, groupsIn, rankedUsageSql } from "./usage-sql.ts";

const TAKEN = {
  events: "float",
  inputTokens: "float",
  outputTokens: "float",
  cacheReadTokens: "float",
  cacheWriteTokens: "float",
  cost: "float",
  costSource: "text",
  missingCosts: "integer",
  sessions: "integer",
} as const;

/** Root field `recordedUsage`: the use of recorded events, by day and by a value. */
export const recordedUsage: Resource = {
  entity: {
    name: "RecordedUsage",
    table: "",
    columns: { from: "timestamp", to: "timestamp", truncated: "boolean" },
    many: {
      groups: {
        entity: "RecordedUsageGroup",
        rows: (row) => `select t.*, t.name as id from ${groupsIn(column(row, "groups"))}`,
      },
    },
  },
  values: { recordedUsage: { scans: rangeScans, ...computedRow("RecordedUsage", rankedUsageSql) } },
};

/** Events with the same value. */
export const recordedUsageGroup: Resource = {
  entity: {
    name: "RecordedUsageGroup",
    table: "",
    columns: { name: "text", position: "integer", ...TAKEN },
    many: {
      days: {
        entity: "RecordedUsageDay",
        rows: (row) => `select t.*, t.position::text as id
          from ${daysIn((name) => column(row, name))}`,
      },
    },
  },
};

/** Events of a day with the same value. */
export const recordedUsageDay: Resource = {
  entity: { name: "RecordedUsageDay", table: "", columns: { day: "timestamp", position: "integer", ...TAKEN } },
};
