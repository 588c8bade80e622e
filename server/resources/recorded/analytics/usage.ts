import { columnSql } from "../../../read/row.ts";
import type { Resource } from "../../resource.ts";
import { createComputedRowField } from "../computed-row.ts";
import { computeTimeRangeCost } from "./range.ts";
import { rankedUsageSql, usageDayRowsSql, usageGroupRowsSql } from "./usage-sql.ts";

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

/** Root field `recordedUsage`: events, tokens, cost and sessions, by day and by a value such as the model. */
export const recordedUsage: Resource = {
  entity: {
    name: "RecordedUsage",
    table: "",
    columns: { from: "timestamp", to: "timestamp", truncated: "boolean" },
    many: {
      groups: {
        entity: "RecordedUsageGroup",
        rows: (row) => `select t.*, t.name as id from ${usageGroupRowsSql(columnSql(row, "groups"))}`,
      },
    },
  },
  values: {
    recordedUsage: { scans: computeTimeRangeCost, ...createComputedRowField("RecordedUsage", rankedUsageSql) },
  },
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
          from ${usageDayRowsSql((name) => columnSql(row, name))}`,
      },
    },
  },
};

/** Usage of those events of a day that have the same value, such as the same model. */
export const recordedUsageDay: Resource = {
  entity: { name: "RecordedUsageDay", table: "", columns: { day: "timestamp", position: "integer", ...TAKEN } },
};
