import { autoUpdate, computePosition, flip, offset, shift } from "@floating-ui/dom";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { phone } from "../lists/phone.ts";

interface PopoverProps {
  /** The element beside which it stands, and which gets the focus back. */
  anchor: HTMLElement;
  label: string;
  close: () => void;
  /** Its right edge is that of its anchor. */
  atEnd?: boolean;
  class?: string;
  children: ComponentChildren;
}

const GAP = 4;
const MARGIN = 8;

/** A surface beside what opened it; a sheet from below on a small screen. Escape and a press beside it close it. */
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
    // The focus goes back unless somebody has put it elsewhere meanwhile.
    return () => {
      const { activeElement } = document;
      if (!activeElement || activeElement === document.body || box.current?.contains(activeElement)) anchor.focus();
    };
  }, []);
  const onKey = (event: KeyboardEvent) => {
    // Keys of the page or of a dialog around it do nothing meanwhile.
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

/** Keeps it beside its anchor, inside the window. The styles place the sheet. */
function usePlace(anchor: HTMLElement, box: { current: HTMLDivElement | null }, atEnd: boolean): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || phone.value) return;
    const place = async () => {
      const { x, y } = await computePosition(anchor, element, {
        strategy: "fixed",
        placement: atEnd ? "bottom-end" : "bottom-start",
        middleware: [offset(GAP), flip({ padding: MARGIN }), shift({ padding: MARGIN })],
      });
      Object.assign(element.style, { left: `${x}px`, top: `${y}px` });
    };
    return autoUpdate(anchor, element, () => void place());
  }, [anchor, phone.value]);
}
