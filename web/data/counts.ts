import { RailCounts } from "./documents.ts";
import { useQuery } from "./query.ts";
import { ALL_REALTIME_EVENTS, useReloadOnEvents } from "./touched.ts";

/** Shortest pause between two reads, because changes often arrive in bursts. */
const PAUSE_MS = 5_000;

/**
 * Reads the counts of the sidebar. A page that marks inbox entries calls `reload`, because the change log has no
 * entry for the marks.
 */
export const useSidebarCountsQuery = () => useQuery(RailCounts, {});

/**
 * Returns the numbers of inbox entries, open issues, issues in current cycles and new failures. Except for open
 * issues, 100 stands for 100 or more.
 */
export function useSidebarCounts() {
  const { data, reload } = useSidebarCountsQuery();
  useReloadOnEvents(reload, PAUSE_MS, ALL_REALTIME_EVENTS);
  return {
    inbox: data?.inbox.nodes.length ?? 0,
    issues: data?.organization.openIssueCount ?? 0,
    cycle: data?.cycle.count ?? 0,
    failures: data?.recordedFailureGroups.nodes.length ?? 0,
  };
}
