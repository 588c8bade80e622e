import { signal } from "@preact/signals";

/**
 * Milliseconds without movement after which rows count as resting. On a busy machine, the time between two wheel events
 * may be that long.
 */
const REST_MS = 250;

const page = document.documentElement;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Sets the attribute `data-scrolling`, which the style sheet reads, while the user scrolls a virtual list. */
export function setScrollingAttribute(is: boolean): void {
  page.toggleAttribute("data-scrolling", is);
  if (is) markRowsMoving();
  else endMoving();
}

/**
 * Sets the attribute `data-moving`, which the style sheet reads, while rows move. An overlay then covers the rows until
 * the rows rest or the pointer moves. Without the overlay, the browser would restyle and repaint each row that passes
 * under a resting pointer.
 */
export function markRowsMoving(): void {
  clearTimeout(timer);
  const moving = !isPointerPressed.peek();
  page.toggleAttribute("data-moving", moving);
  if (moving) timer = setTimeout(endMoving, REST_MS);
}

function endMoving(): void {
  clearTimeout(timer);
  page.removeAttribute("data-moving");
}

/** Maximum delay in milliseconds between the release of the pointer and the click. */
const CLICK_MS = 100;

/** True while a pointer is pressed. The element under the pointer must stay in place until the click. */
export const isPointerPressed = signal(false);

/** Row under a press that hit the overlay above moving rows; undefined for any other press. */
let coveredRow: Element | undefined;

const findElementUnder = ({ clientX, clientY }: MouseEvent): Element | undefined =>
  document.elementFromPoint(clientX, clientY) ?? undefined;

document.addEventListener(
  "pointerdown",
  (event) => {
    isPointerPressed.value = true;
    const moving = page.hasAttribute("data-moving");
    // Removes the overlay, so that a tap reaches the row under the finger at the release, even if the list moved just
    // before.
    endMoving();
    coveredRow = moving ? findElementUnder(event) : undefined;
  },
  { capture: true, passive: true },
);
for (const end of ["pointerup", "pointercancel"]) {
  const over = () => {
    isPointerPressed.value = false;
    coveredRow = undefined;
  };
  document.addEventListener(end, () => setTimeout(over, CLICK_MS), { capture: true });
}

/**
 * Redirects a click on the overlay above moving rows to the row below the overlay, because the user meant to click the
 * row.
 */
document.addEventListener(
  "click",
  (event) => {
    const meant = coveredRow;
    coveredRow = undefined;
    if (!meant || meant === event.target || meant !== findElementUnder(event)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    meant.dispatchEvent(new MouseEvent("click", event));
  },
  { capture: true },
);

/** Waits until no pointer is pressed. */
export async function waitForPointerRelease(): Promise<void> {
  while (isPointerPressed.peek()) await new Promise((resolve) => setTimeout(resolve, CLICK_MS / 2));
}

document.addEventListener("pointermove", ({ movementX, movementY }) => (movementX || movementY) && endMoving(), {
  passive: true,
});
