import { RailCounts } from "./documents.ts";
import { useQuery } from "./query.ts";
import { ANYTHING, useTouched } from "./touched.ts";

/** The shortest pause between two reads: many changes come close together. */
const PAUSE_MS = 5_000;

/** The counts, for a page that has them read again: the change log holds no marks of the inbox. */
export const useRailCounts = () => useQuery(RailCounts, {});

/** The numbers of entries in the inbox, of open issues, of those in current cycles and of new failures; of what is listed a hundred stands for more. */
export function useCounts() {
  const { data, reload } = useRailCounts();
  useTouched(reload, PAUSE_MS, ANYTHING);
  return {
    inbox: data?.inbox.nodes.length ?? 0,
    issues: data?.organization.openIssueCount ?? 0,
    cycle: data?.cycle.count ?? 0,
    failures: data?.recordedFailureGroups.nodes.length ?? 0,
  };
}
