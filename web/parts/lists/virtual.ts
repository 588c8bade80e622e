import { batch, type Signal, signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer } from "preact/hooks";
import { markScrolling } from "./moving.ts";
import { phone } from "./phone.ts";
import { createScrolled } from "./scrolled.ts";
import { assign, type Range, rangeOf, stepTo, windowOf } from "./virtual-window.ts";

/** Rows that are made above and below those in view. */
const OVERSCAN = 6;
/** Rows out of view that are made in one frame, before somebody scrolls to them. */
const AHEAD = 2;

interface Options {
  count: number;
  /** Height of a row, in px. */
  size: number;
  /** The element that scrolls; on a phone the document does, and this only says where the rows begin. */
  element: RefObject<HTMLElement | null>;
  /** Px of the element before its first row, which a head that stays covers. */
  before?: number;
  /** A row that is made wherever somebody scrolls, because it has the focus; -1 for none. */
  keep?: number;
}

/** The rows that are to be seen, of any number of rows of one height. */
export interface Virtual {
  /** The index of the row that each element shows, in the order of the elements. */
  slots: readonly Signal<number>[];
}

/**
 * Shows of a long list only what is in view, in a handful of elements: a row that comes into view takes the element of one
 * that left. Only what shows such a row is made again while somebody scrolls.
 */
export function useVirtual({ count, size, element, before = 0, keep = -1 }: Options): Virtual {
  const [, render] = useReducer((n: number) => n + 1, 0);
  const onPhone = phone.value;
  const window = useMemo(() => createWindow(() => render(undefined)), [onPhone]);
  const margin = onPhone ? window.rows.before : before;
  window.rows = { count, size, before: margin, keep: keep < count ? keep : -1 };
  useLayoutEffect(() => window.scrolled.follow(onPhone ? document.documentElement : element.current));
  useEffect(() => window.stop, [window]);
  useLayoutEffect(() => {
    // Asking where something stands makes the browser lay everything out: not while somebody scrolls.
    if (!onPhone || window.scrolled.moves || !element.current) return;
    window.rows.before = element.current.getBoundingClientRect().top + scrollY;
  });
  return { slots: window.slots() };
}

/** The rows that are rendered, and the element that shows each of them. */
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
    const range: Range = rangeOf({ top: top - before, height }, { count, size });
    const wanted = windowOf(range, { most: now, count, above: OVERSCAN });
    first = now === most ? stepTo({ from: first, wanted, ahead }, range, now) : wanted;
    if (first !== wanted) frame = requestAnimationFrame(() => show(AHEAD));
    const same = now === most;
    most = now;
    // One more than are in the window: the row that is kept may stand outside it.
    if (!same) pool = Array.from({ length: most + 1 }, (_, n) => pool[n] ?? signal(-1));
    const shown = pool.map((slot) => slot.peek());
    const next = assign(shown, { first, most, keep });
    batch(() => {
      for (const [n, slot] of pool.entries()) slot.value = next[n] ?? -1;
    });
    return same;
  };
  const show = (ahead = 0) => {
    markScrolling(self.scrolled.moves);
    if (!place(ahead) || !self.scrolled.moves) render();
  };
  const self = {
    rows: { count: 0, size: 1, before: 0, keep: -1 },
    scrolled: createScrolled(() => show()),
    stop: () => {
      cancelAnimationFrame(frame);
      self.scrolled.stop();
      markScrolling(false);
    },
    /** While somebody scrolls the elements stay where they are, so that none is taken out of the document and put in again. */
    slots: () => {
      place(0);
      const others = order.length !== pool.length;
      if (others || !self.scrolled.moves) order = pool.toSorted((a, b) => a.peek() - b.peek());
      return order;
    },
  };
  return self;
}
