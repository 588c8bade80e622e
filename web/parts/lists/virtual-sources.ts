import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  windowScroll,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";

/** The document scrolls. */
export const ofWindow = {
  getScrollElement: () => window,
  observeElementRect: observeWindowRect,
  observeElementOffset: observeWindowOffset,
  scrollToFn: windowScroll,
  initialOffset: () => scrollY,
};

/** An element scrolls. */
export const ofElement = (element: RefObject<HTMLElement | null>) => ({
  getScrollElement: () => element.current,
  observeElementRect,
  observeElementOffset,
  scrollToFn: elementScroll,
});
