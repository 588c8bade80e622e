import { batch, type Signal, signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer } from "preact/hooks";
import { setScrollingAttribute } from "./moving.ts";
import { isPhoneScreen } from "./phone.ts";
import { createScrollObserver } from "./scrolled.ts";
import {
  assignRowsToElements,
  computeFirstRenderedRow,
  computeNextFirstRenderedRow,
  findVisibleRange,
  type RowRange,
} from "./virtual-window.ts";

/** Number of rows rendered above and below the visible rows. */
const OVERSCAN = 6;
/** Number of invisible rows rendered per frame, before the user scrolls to the rows. */
const AHEAD = 2;

interface Options {
  count: number;
  /** Height of a row in pixels. */
  size: number;
  /** Scrolling element. On a phone the document scrolls, and the element only marks the position of the rows. */
  element: RefObject<HTMLElement | null>;
  /** Distance in pixels between the top of the element and the first row, for a sticky head. */
  before?: number;
  /** Row that stays rendered at any scroll position, because the row has the focus; -1 for none. */
  keep?: number;
}

/** Rendered rows of a list of any length, with rows of equal height. */
export interface VirtualList {
  /** For each element of the pool, the index of the row that the element shows. */
  slots: readonly Signal<number>[];
}

/**
 * Renders only the visible rows of a long list, in a small pool of elements. A row that becomes visible takes the
 * element of a row that became invisible. Scrolling renders again only the elements that take another row.
 */
export function useVirtualList({ count, size, element, before = 0, keep = -1 }: Options): VirtualList {
  const [, render] = useReducer((n: number) => n + 1, 0);
  const onPhone = isPhoneScreen.value;
  const window = useMemo(() => createWindow(() => render(undefined)), [onPhone]);
  const margin = onPhone ? window.rows.before : before;
  window.rows = { count, size, before: margin, keep: keep < count ? keep : -1 };
  useLayoutEffect(() => window.scrolled.follow(onPhone ? document.documentElement : element.current));
  useEffect(() => window.stop, [window]);
  useLayoutEffect(() => {
    // Reading a position forces a layout, so the position is not read while the user scrolls.
    if (!onPhone || window.scrolled.moves || !element.current) return;
    window.rows.before = element.current.getBoundingClientRect().top + scrollY;
  });
  return { slots: window.slots() };
}

/** Creates the pool of elements, and assigns a row to each element. */
function createWindow(render: () => void) {
  let [first, most, frame] = [0, 0, 0];
  let pool = [signal(-1)];
  let order: Signal<number>[] = [];
  const place = (ahead: number) => {
    cancelAnimationFrame(frame);
    const { count, size, before, keep } = self.rows;
    const { top, height } = self.scrolled;
    const seen = height > 0 ? Math.ceil(height / size) + 1 : 0;
    const now = Math.min(count, seen && seen + 2 * OVERSCAN);
    const range: RowRange = findVisibleRange({ top: top - before, height }, { count, size });
    const wanted = computeFirstRenderedRow(range, { most: now, count, above: OVERSCAN });
    first = now === most ? computeNextFirstRenderedRow({ from: first, wanted, ahead }, range, now) : wanted;
    if (first !== wanted) frame = requestAnimationFrame(() => show(AHEAD));
    const same = now === most;
    most = now;
    // The pool has one element more than the window has rows, because the `keep` row may be outside the window.
    if (!same) pool = Array.from({ length: most + 1 }, (_, n) => pool[n] ?? signal(-1));
    const shown = pool.map((slot) => slot.peek());
    const next = assignRowsToElements(shown, { first, most, keep });
    batch(() => {
      for (const [n, slot] of pool.entries()) slot.value = next[n] ?? -1;
    });
    return same;
  };
  const show = (ahead = 0) => {
    setScrollingAttribute(self.scrolled.moves);
    if (!place(ahead) || !self.scrolled.moves) render();
  };
  const self = {
    rows: { count: 0, size: 1, before: 0, keep: -1 },
    scrolled: createScrollObserver(() => show()),
    stop: () => {
      cancelAnimationFrame(frame);
      self.scrolled.stop();
      setScrollingAttribute(false);
    },
    /**
     * Returns the elements in order. While the user scrolls, the order stays the same, so that no element is removed
     * from the document and inserted again.
     */
    slots: () => {
      place(0);
      const others = order.length !== pool.length;
      if (others || !self.scrolled.moves) order = pool.toSorted((a, b) => a.peek() - b.peek());
      return order;
    },
  };
  return self;
}
