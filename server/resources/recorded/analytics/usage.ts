import { column } from "../../../read/row.ts";
import type { Resource } from "../../resource.ts";
import { computedRow } from "../computed-row.ts";
import { rangeScans } from "./range.ts";
import { daysIn, groupsIn, usage } from "./usage-sql.ts";

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

/** Root field `recordedUsage`: what recorded events took, by day and by a value of theirs. */
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
  values: { recordedUsage: { scans: rangeScans, ...computedRow("RecordedUsage", usage) } },
};

/** The events of one value. */
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

/** Those of one day. */
export const recordedUsageDay: Resource = {
  entity: { name: "RecordedUsageDay", table: "", columns: { day: "timestamp", position: "integer", ...TAKEN } },
};
