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

document.addEventListener("pointermove", ({ movementX, movementY }) => (movementX || movementY) && rest(), {
  passive: true,
});
