import type { Resource } from "../../resource.ts";
import { recordedFailureAgent } from "../failures/agents.ts";
import { recordedFailureComparison, recordedFailureDifference } from "../failures/comparison.ts";
import { recordedFailureExample, recordedFailureStep } from "../failures/examples.ts";
import { recordedFailureSummary } from "../failures/summary.ts";
import { recordedFailureDay, recordedFailureGroup, recordedFailureHour } from "./group.ts";
import { recordedSessionBucket, recordedSessionHistogram } from "./histogram.ts";
import { recordedTool, recordedToolBucket, recordedToolFailureGroup } from "./tool.ts";
import { recordedToolStat, recordedToolStats } from "./tool-stats.ts";
import { recordedUsage, recordedUsageDay, recordedUsageGroup } from "./usage.ts";

export { countMarkedHoursOfOrganization, hourCountsComparison } from "./count/counts.ts";
export { GROUP_SUM_DIFFERENCES_SQL, recomputeFailureGroupSums, sumStaleGroups } from "./count/group-sums.ts";
export {
  COUNTED_TABLES,
  createMarkHoursStatements,
  createMarkSessionsStatements,
  insertHourMarksSql,
  MARK_EVERYTHING_STATEMENTS,
} from "./count/marks.ts";
export { readRange } from "./range.ts";

/** Resources that summarize recorded events, such as calls and failures by tool, usage, and groups of failures. */
export const analyticsResources: readonly Resource[] = [
  recordedSessionHistogram,
  recordedSessionBucket,
  recordedToolStats,
  recordedToolStat,
  recordedUsage,
  recordedUsageGroup,
  recordedUsageDay,
  recordedTool,
  recordedToolBucket,
  recordedToolFailureGroup,
  recordedFailureHour,
  recordedFailureDay,
  recordedFailureAgent,
  recordedFailureExample,
  recordedFailureStep,
  recordedFailureGroup,
  recordedFailureComparison,
  recordedFailureDifference,
  recordedFailureSummary,
];
