import { column, listedRows } from "../../../read/row.ts";
import type { Resource } from "../../resource.ts";
import { computedRow } from "../computed-row.ts";
import { failureColumns, failureIssue } from "./group.ts";
import { rangeScans } from "./range.ts";
import { tool } from "./tool-sql.ts";

/** Root field `recordedTool`: one tool in a range of time: its course, its latencies, and what its failures say. */
export const recordedTool: Resource = {
  entity: {
    name: "RecordedTool",
    table: "",
    columns: {
      name: "text",
      from: "timestamp",
      to: "timestamp",
      truncated: "boolean",
      calls: "integer",
      failures: "integer",
      sessions: "integer",
      p50: "float",
      p95: "float",
      p99: "float",
      bandCalls: "json",
      bandFailures: "json",
      failureGroupCount: "integer",
    },
    many: {
      buckets: {
        entity: "RecordedToolBucket",
        rows: listedRows(
          "buckets",
          "at timestamptz, calls integer, failures integer, p50 float8, p95 float8, bands json",
        ),
      },
      failureGroups: {
        entity: "RecordedToolFailureGroup",
        rows: (row) => `select t.* from jsonb_to_recordset(${column(row, "groups")})
          t (id uuid, position integer, message text, count integer, sessions integer, users integer,
            "firstAt" timestamptz, "lastAt" timestamptz, "eventId" uuid, "sessionId" uuid)`,
      },
    },
  },
  values: {
    recordedTool: { scans: rangeScans, ...computedRow("RecordedTool", tool) },
  },
};

/** The calls in one part of the range. */
export const recordedToolBucket: Resource = {
  entity: {
    name: "RecordedToolBucket",
    table: "",
    columns: {
      at: "timestamp",
      calls: "integer",
      failures: "integer",
      p50: "float",
      p95: "float",
      bands: "json",
      position: "integer",
    },
  },
};

/** Failures of the tool that say the same. */
export const recordedToolFailureGroup: Resource = {
  entity: {
    name: "RecordedToolFailureGroup",
    table: "",
    columns: { ...failureColumns, position: "integer" },
    one: { issue: failureIssue },
  },
};
