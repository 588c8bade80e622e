import { autoUpdate, computePosition, flip, offset, shift } from "@floating-ui/dom";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isPhoneScreen } from "../lists/phone.ts";

interface PopoverProps {
  /** Element beside which the popover opens, and which gets the focus back. */
  anchor: HTMLElement;
  label: string;
  close: () => void;
  /** True to align the right edges of the popover and the anchor. */
  atEnd?: boolean;
  class?: string;
  children: ComponentChildren;
}

const GAP = 4;
const MARGIN = 8;

/**
 * Popover beside an anchor. On a small screen the popover is a sheet at the bottom. Escape and a press outside close
 * the popover.
 */
export function Popover({ anchor, label, close, atEnd = false, class: more = "", children }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  usePlace(anchor, box, atEnd);
  useEffect(() => {
    const onPress = ({ target }: PointerEvent) => {
      if (target instanceof Node && !box.current?.contains(target) && !anchor.contains(target)) close();
    };
    document.addEventListener("pointerdown", onPress, true);
    return () => document.removeEventListener("pointerdown", onPress, true);
  }, [anchor, close]);
  useLayoutEffect(() => {
    const first = box.current?.querySelector<HTMLElement>("input, button, [tabindex]");
    (first ?? box.current)?.focus({ preventScroll: true });
    // When the popover closes, moves the focus back to the anchor, unless the user has moved the focus elsewhere.
    return () => {
      const { activeElement } = document;
      if (!activeElement || activeElement === document.body || box.current?.contains(activeElement)) anchor.focus();
    };
  }, []);
  const onKey = (event: KeyboardEvent) => {
    // Prevents the page and a surrounding dialog from handling keys that are pressed in the popover.
    event.stopPropagation();
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
  return (
    <div class={`pop ${more}`} role="dialog" aria-label={label} tabIndex={-1} ref={box} onKeyDown={onKey}>
      {children}
    </div>
  );
}

/** Keeps the popover beside the anchor and inside the window. On a small screen the style sheet places the popover. */
function usePlace(anchor: HTMLElement, box: { current: HTMLDivElement | null }, atEnd: boolean): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || isPhoneScreen.value) return;
    const place = async () => {
      const { x, y } = await computePosition(anchor, element, {
        strategy: "fixed",
        placement: atEnd ? "bottom-end" : "bottom-start",
        middleware: [offset(GAP), flip({ padding: MARGIN }), shift({ padding: MARGIN })],
      });
      Object.assign(element.style, { left: `${x}px`, top: `${y}px` });
    };
    return autoUpdate(anchor, element, () => void place());
  }, [anchor, isPhoneScreen.value]);
}
