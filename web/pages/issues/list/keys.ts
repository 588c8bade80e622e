import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { keptHere } from "../../../shell/kept.ts";
import { useKeys } from "../../../shell/keys.ts";
import { type Selection, selectTo, toggle } from "./selection.ts";

/** The ids of the rows in the order in which they stand. */
export const orderOf = (body: HTMLElement | null): string[] => [
  ...new Set([...(body?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].map(({ dataset }) => dataset["row"] ?? "")),
];

/** J, K and the arrows go through the rows; Enter opens one, X selects it, Escape lets go of all. */
export function useListKeys(body: RefObject<HTMLElement | null>, selection: Selection): void {
  const { cursor, chosen } = selection;
  const go = (id: string) => {
    cursor.value = id;
    keptHere().set("cursor", id);
    const link = body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
    link?.focus({ preventScroll: true });
    link?.closest("tr, li")?.scrollIntoView({ block: "nearest" });
  };
  const move = (by: number) => () => {
    const order = orderOf(body.current);
    const at = order.indexOf(cursor.peek());
    const next = order[at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + by))];
    if (next !== undefined) go(next);
  };
  const extend = () => {
    const order = orderOf(body.current);
    const next = order[Math.min(order.length - 1, order.indexOf(cursor.peek()) + 1)];
    if (next === undefined) return;
    selectTo(selection, next, order);
    go(next);
  };
  const open = () => body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(cursor.peek())}"]`)?.click();
  const letGo = () => {
    if (chosen.peek().size > 0) chosen.value = new Set();
    else cursor.value = "";
  };
  useKeys({
    j: move(1),
    k: move(-1),
    ArrowDown: move(1),
    ArrowUp: move(-1),
    Enter: open,
    x: () => cursor.peek() && toggle(selection, cursor.peek()),
    X: extend,
    Escape: letGo,
  });
  useCursorBack(body, selection);
}

/** The row that the keys were at is in view for somebody who comes back. */
function useCursorBack(body: RefObject<HTMLElement | null>, { cursor }: Selection): void {
  const found = useRef(false);
  useEffect(() => {
    const stop = cursor.subscribe((id) => void keptHere().set("cursor", id));
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
