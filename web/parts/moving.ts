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
  page.toggleAttribute("data-moving", is);
  if (is) timer = setTimeout(rest, REST_MS);
}

const rest = (): void => void page.removeAttribute("data-moving");

let pressed = false;
const press = (is: boolean) => () => {
  pressed = is;
};
document.addEventListener("pointerdown", press(true), { capture: true, passive: true });
for (const end of ["pointerup", "pointercancel"])
  document.addEventListener(end, press(false), { capture: true, passive: true });

/** Whether a pointer is pressed: what it is on stays under it until it is released. */
export const isPressed = (): boolean => pressed;

document.addEventListener("pointermove", ({ movementX, movementY }) => (movementX || movementY) && rest(), {
  passive: true,
});
