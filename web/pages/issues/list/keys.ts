import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { readHistoryState } from "../../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { type IssueSelection, selectRange, toggleIssueSelected } from "./selection.ts";

/** Returns the ids of the rows in display order. */
export const readRowIdsInOrder = (body: HTMLElement | null): string[] => [
  ...new Set([...(body?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].map(({ dataset }) => dataset["row"] ?? "")),
];

/**
 * Handles the keys of a list: J, K and the arrows move the cursor, Enter opens the issue, X selects the issue, Escape
 * clears the selection.
 */
export function useIssueListShortcuts(body: RefObject<HTMLElement | null>, selection: IssueSelection): void {
  const { cursor, chosen } = selection;
  const go = (id: string) => {
    cursor.value = id;
    readHistoryState().set("cursor", id);
    const link = body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
    link?.focus({ preventScroll: true });
    link?.closest("tr, li")?.scrollIntoView({ block: "nearest" });
  };
  const move = (by: number) => () => {
    const order = readRowIdsInOrder(body.current);
    const at = order.indexOf(cursor.peek());
    const next = order[at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + by))];
    if (next !== undefined) go(next);
  };
  const extend = () => {
    const order = readRowIdsInOrder(body.current);
    const next = order[Math.min(order.length - 1, order.indexOf(cursor.peek()) + 1)];
    if (next === undefined) return;
    selectRange(selection, next, order);
    go(next);
  };
  const open = () => body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(cursor.peek())}"]`)?.click();
  const letGo = () => {
    if (chosen.peek().size > 0) chosen.value = new Set();
    else cursor.value = "";
  };
  useKeyboardShortcuts({
    j: move(1),
    k: move(-1),
    ArrowDown: move(1),
    ArrowUp: move(-1),
    Enter: open,
    x: () => cursor.peek() && toggleIssueSelected(selection, cursor.peek()),
    X: extend,
    Escape: letGo,
  });
  useCursorBack(body, selection);
}

/** Scrolls to the row of the cursor when the user returns to the list. */
function useCursorBack(body: RefObject<HTMLElement | null>, { cursor }: IssueSelection): void {
  const found = useRef(false);
  useEffect(() => {
    const stop = cursor.subscribe((id) => void readHistoryState().set("cursor", id));
    return stop;
  }, [cursor]);
  useEffect(() => {
    if (found.current || !cursor.peek()) return;
    const row = body.current?.querySelector(`[data-id="${CSS.escape(cursor.peek())}"]`);
    if (!row) return;
    found.current = true;
    row.scrollIntoView({ block: "nearest" });
  });
}
