import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { PreviousNext } from "../../../parts/lists/previous-next.tsx";
import { keptBefore, keptHere } from "../../../shell/kept.ts";
import { useKeys } from "../../../shell/keys.ts";
import { navigate } from "../../../shell/router.ts";
import { pathOf } from "../path.ts";
import { orderOf } from "./keys.ts";
import type { Selection } from "./selection.ts";

/** The issues that a list showed when one of them was opened, in the order in which they stood. */
interface Trail {
  issues: readonly { id: string; identifier: string; path: string }[];
  /** True if the list goes on after them. */
  hasMore: boolean;
}

const NAME = "trail of issues";
const KEYS = ["k", "j"] as const;

/**
 * Keeps the issues of a list for the one that a click opens. A list that is left is no longer in the document when its
 * effects end, so the order is read before.
 */
export function useTrail(list: RefObject<HTMLElement | null>, selection: Selection): void {
  useLayoutEffect(() => {
    const box = list.current;
    const keep = () => {
      const issues = orderOf(box).flatMap((id) => {
        const issue = selection.rows.get(id);
        return issue ? [{ id, identifier: issue.identifier, path: pathOf(issue.url) }] : [];
      });
      keptHere().set(NAME, { issues, hasMore: Boolean(box?.querySelector(".more")) } satisfies Trail);
    };
    box?.addEventListener("click", keep);
    return () => box?.removeEventListener("click", keep);
  }, [selection]);
}

/** The previous and the next issue of the list that somebody came from; Escape leads back to it. */
export function Neighbours({ identifier }: { identifier: string }) {
  const list = keptBefore();
  const trail = list.get(NAME) as Trail | undefined;
  const at = trail?.issues.findIndex((issue) => issue.identifier === identifier) ?? -1;
  useKeys(at < 0 ? {} : { Escape: () => history.back() });
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
