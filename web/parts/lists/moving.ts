import { signal } from "@preact/signals";

/** Rows rest once nothing moved them for so long: a busy machine may take as long between two turns of a wheel. */
const REST_MS = 250;

const page = document.documentElement;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says to the styles whether somebody scrolls a list of which only some rows are made. */
export function markScrolling(is: boolean): void {
  page.toggleAttribute("data-scrolling", is);
  if (is) markMoving();
  else rest();
}

/**
 * Says to the styles that rows move. Until they rest, or the pointer itself moves, they are not pointed at: each that
 * passed under a resting pointer would be styled and painted as pointed at, and again as not.
 */
export function markMoving(): void {
  clearTimeout(timer);
  const moving = !pressed.peek();
  page.toggleAttribute("data-moving", moving);
  if (moving) timer = setTimeout(rest, REST_MS);
}

function rest(): void {
  clearTimeout(timer);
  page.removeAttribute("data-moving");
}

/** A click may follow the pointer's release by so long. */
const CLICK_MS = 100;

/** True while a pointer is pressed: the element under it stays there until the click. */
export const pressed = signal(false);

/** The element under a press that began on what lies over rows that move; undefined for any other press. */
let covered: Element | undefined;

const under = ({ clientX, clientY }: MouseEvent): Element | undefined =>
  document.elementFromPoint(clientX, clientY) ?? undefined;

document.addEventListener(
  "pointerdown",
  (event) => {
    pressed.value = true;
    const moving = page.hasAttribute("data-moving");
    // A finger taps what is under it when it is lifted: a row, also of a list that moved just before.
    rest();
    covered = moving ? under(event) : undefined;
  },
  { capture: true, passive: true },
);
for (const end of ["pointerup", "pointercancel"]) {
  const over = () => {
    pressed.value = false;
    covered = undefined;
  };
  document.addEventListener(end, () => setTimeout(over, CLICK_MS), { capture: true });
}

/** A mouse that was pressed on what lies over the rows clicks it, since the press began there: the row is meant. */
document.addEventListener(
  "click",
  (event) => {
    const meant = covered;
    covered = undefined;
    if (!meant || meant === event.target || meant !== under(event)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    meant.dispatchEvent(new MouseEvent("click", event));
  },
  { capture: true },
);

/** Waits until no pointer is pressed. */
export async function released(): Promise<void> {
  while (pressed.peek()) await new Promise((resolve) => setTimeout(resolve, CLICK_MS / 2));
}

document.addEventListener("pointermove", ({ movementX, movementY }) => (movementX || movementY) && rest(), {
  passive: true,
});
