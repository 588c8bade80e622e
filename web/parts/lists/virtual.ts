import { batch, type Signal, signal } from "@preact/signals";
import { Virtualizer, type VirtualizerOptions } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer } from "preact/hooks";
import { markScrolling } from "./moving.ts";
import { phone } from "./phone.ts";
import { ofElement, ofWindow } from "./virtual-sources.ts";
import { assign, type Range, stepTo, windowOf } from "./virtual-window.ts";

/** Rows that are made above and below those in view. */
const OVERSCAN = 6;
/** Rows out of view that are made in one frame, before somebody scrolls to them. */
const AHEAD = 2;
/** The elements are put in the order of their rows once nobody has scrolled for so long. */
const REST_MS = 400;

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
  const options = {
    count,
    estimateSize: () => size,
    scrollMargin: onPhone ? window.margin : before,
    isScrollingResetDelay: REST_MS,
    onChange: (instance: Lists) => window.show(instance),
    ...(onPhone ? ofWindow : ofElement(element)),
  } as unknown as VirtualizerOptions<HTMLElement, HTMLElement>;
  const virtual = useMemo(() => new Virtualizer<HTMLElement, HTMLElement>(options), [onPhone]);
  virtual.setOptions(options);
  window.keep = keep < count ? keep : -1;
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => virtual.measure(), [size]);
  useEffect(() => window.stop, [window]);
  useLayoutEffect(() => {
    // Asking where something stands makes the browser lay everything out: not while somebody scrolls.
    if (!onPhone || virtual.isScrolling || !element.current) return;
    window.margin = element.current.getBoundingClientRect().top + scrollY;
  });
  return { slots: window.slots(virtual) };
}

type Lists = Virtualizer<HTMLElement, HTMLElement>;

/** The rows that are rendered, and the element that shows each of them. */
function createWindow(render: () => void) {
  let [first, most, frame] = [0, 0, 0];
  let pool = [signal(-1)];
  let order: Signal<number>[] = [];
  const place = (virtual: Lists, ahead: number) => {
    cancelAnimationFrame(frame);
    const range: Range | null = virtual.calculateRange();
    const { count, estimateSize } = virtual.options;
    const seen = range && virtual.scrollRect ? Math.ceil(virtual.scrollRect.height / estimateSize(0)) + 1 : 0;
    const now = Math.min(count, seen && seen + 2 * OVERSCAN);
    const wanted = range ? windowOf(range, { most: now, count, overscan: OVERSCAN }) : 0;
    first = range && now === most ? stepTo({ from: first, wanted, ahead }, range, now) : wanted;
    if (first !== wanted) frame = requestAnimationFrame(() => show(virtual, AHEAD));
    const same = now === most;
    most = now;
    // One more than are in the window: the row that is kept may stand outside it.
    if (!same) pool = Array.from({ length: most + 1 }, (_, n) => pool[n] ?? signal(-1));
    const shown = pool.map((slot) => slot.peek());
    const next = assign(shown, { first, most, keep: self.keep });
    batch(() => {
      for (const [n, slot] of pool.entries()) slot.value = next[n] ?? -1;
    });
    return same;
  };
  const show = (virtual: Lists, ahead = 0) => {
    markScrolling(virtual.isScrolling);
    if (!place(virtual, ahead) || !virtual.isScrolling) render();
  };
  const self = {
    margin: 0,
    keep: -1,
    show,
    stop: () => {
      cancelAnimationFrame(frame);
      markScrolling(false);
    },
    /** While somebody scrolls the elements stay where they are, so that none is taken out of the document and put in again. */
    slots: (virtual: Lists) => {
      place(virtual, 0);
      const others = order.length !== pool.length;
      if (others || !virtual.isScrolling) order = pool.toSorted((a, b) => a.peek() - b.peek());
      return order;
    },
  };
  return self;
}
