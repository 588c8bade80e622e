import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useReducer } from "preact/hooks";

/** Below this width the document scrolls, and no part of it does. */
const PHONE = matchMedia("(max-width: 767px)");

interface Options {
  count: number;
  /** Height of a row, in px. */
  size: number;
  /** What scrolls; on a phone the document does, and this only says where the rows begin. */
  element: RefObject<HTMLElement | null>;
  /** Px of the element before its first row. */
  before?: number;
}

/** The rows that are to be seen, of any number of rows of one height. */
export interface Virtual {
  items: VirtualItem[];
  /** Height of all rows. */
  total: number;
  /** Px between the first row and the top of the list. */
  margin: number;
  scrollTo(index: number): void;
}

/** Shows of a long list only what is in view. */
export function useVirtual({ count, size, element, before = 0 }: Options): Virtual {
  const [, render] = useReducer((n: number) => n + 1, 0);
  const phone = PHONE.matches;
  const margin = phone && element.current ? element.current.getBoundingClientRect().top + scrollY : 0;
  const options = {
    count,
    estimateSize: () => size,
    overscan: 8,
    scrollMargin: margin,
    scrollPaddingStart: before,
    onChange: () => render(undefined),
    ...(phone ? ofWindow : ofElement(element)),
  } as unknown as VirtualizerOptions<HTMLElement, HTMLElement>;
  const virtual = useMemo(() => new Virtualizer<HTMLElement, HTMLElement>(options), [phone]);
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => virtual.measure(), [size]);
  return {
    items: virtual.getVirtualItems(),
    total: virtual.getTotalSize(),
    margin,
    scrollTo: (index) => virtual.scrollToIndex(index, { align: "auto" }),
  };
}

const ofWindow = {
  getScrollElement: () => window,
  observeElementRect: observeWindowRect,
  observeElementOffset: observeWindowOffset,
  scrollToFn: windowScroll,
  initialOffset: () => scrollY,
};

const ofElement = (element: RefObject<HTMLElement | null>) => ({
  getScrollElement: () => element.current,
  observeElementRect,
  observeElementOffset,
  scrollToFn: elementScroll,
});
