import { signal } from "@preact/signals";

/** Rows rest once nothing moved them for so long. */
const REST_MS = 120;

const page = document.documentElement;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Says to the styles whether somebody scrolls a list. Until its rows rest, or the pointer itself moves, they are not
 * pointed at: each that passed under a resting pointer would be styled and painted as pointed at, and again as not.
 */
export function markScrolling(is: boolean): void {
  page.toggleAttribute("data-scrolling", is);
  clearTimeout(timer);
  const moving = is && !pressed.peek();
  page.toggleAttribute("data-moving", moving);
  if (moving) timer = setTimeout(rest, REST_MS);
}

const rest = (): void => void page.removeAttribute("data-moving");

/** A click may follow the pointer's release by so long. */
const CLICK_MS = 100;

/** True while a pointer is pressed: the element under it stays there until the click. */
export const pressed = signal(false);

document.addEventListener(
  "pointerdown",
  () => {
    pressed.value = true;
    // A finger taps what is under it when it is lifted: a row, also of a list that moved just before.
    rest();
  },
  { capture: true, passive: true },
);
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => setTimeout(() => (pressed.value = false), CLICK_MS), { capture: true });
}

/** Waits until no pointer is pressed. */
export async function released(): Promise<void> {
  while (pressed.peek()) await new Promise((resolve) => setTimeout(resolve, CLICK_MS / 2));
}

document.addEventListener("pointermove", ({ movementX, movementY }) => (movementX || movementY) && rest(), {
  passive: true,
});
