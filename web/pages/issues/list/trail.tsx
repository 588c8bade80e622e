import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { PreviousNext } from "../../../parts/lists/previous-next.tsx";
import { readHistoryState, readPreviousHistoryState } from "../../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { navigate } from "../../../shell/router.ts";
import { toAppPath } from "../path.ts";
import { readRowIdsInOrder } from "./keys.ts";
import type { IssueSelection } from "./selection.ts";

/** Issues of the list from which the user opened an issue, in display order. */
interface VisitedList {
  issues: readonly { id: string; identifier: string; path: string }[];
  /** True if the list continues after the stored issues. */
  hasMore: boolean;
}

const NAME = "trail of issues";
const KEYS = ["k", "j"] as const;

/**
 * Stores the order of the list before a click opens an issue. An effect cleanup would run too late, because the list
 * has left the document by then.
 */
export function useStoredListOrder(list: RefObject<HTMLElement | null>, selection: IssueSelection): void {
  useLayoutEffect(() => {
    const box = list.current;
    const keep = () => {
      const issues = readRowIdsInOrder(box).flatMap((id) => {
        const issue = selection.rows.get(id);
        return issue ? [{ id, identifier: issue.identifier, path: toAppPath(issue.url) }] : [];
      });
      readHistoryState().set(NAME, { issues, hasMore: Boolean(box?.querySelector(".more")) } satisfies VisitedList);
    };
    box?.addEventListener("click", keep);
    return () => box?.removeEventListener("click", keep);
  }, [selection]);
}

/** Links to the previous and the next issue of the list from which the user came. Escape returns to the list. */
export function AdjacentIssues({ identifier }: { identifier: string }) {
  const list = readPreviousHistoryState();
  const trail = list.get(NAME) as VisitedList | undefined;
  const at = trail?.issues.findIndex((issue) => issue.identifier === identifier) ?? -1;
  useKeyboardShortcuts(at < 0 ? {} : { Escape: () => history.back() });
  if (!trail || at < 0) return null;
  const { issues, hasMore } = trail;
  const go = (by: 1 | -1) => {
    const issue = issues[at + by];
    if (!issue) return;
    list.set("cursor", issue.id);
    navigate(issue.path, { replace: true });
  };
  const total = `${issues.length}${hasMore ? "+" : ""}`;
  return <PreviousNext of="issue" at={at} total={total} isLast={at === issues.length - 1} keys={KEYS} go={go} />;
}
