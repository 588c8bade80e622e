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

export { countMarked, hourCounts } from "./count/counts.ts";
export { GROUPS_DIFFER, repairGroups, sumStaleGroups as sumStale } from "./count/group-sums.ts";
export {
  COUNTED_TABLES as COUNTED,
  insertMarks,
  MARK_EVERYTHING as COUNT_ANEW,
  markHours,
  markSessions,
} from "./count/marks.ts";
export { readRange as rangeOf } from "./range.ts";

/** Resources that read recorded events by the hour. */
export const analytics: readonly Resource[] = [
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
