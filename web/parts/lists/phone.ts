import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 767px)");

/**
 * True if the window is as narrow as a phone's. The document then scrolls as a whole, without scrolling parts.
 * Rotating a phone may change the value.
 */
export const isPhoneScreen = signal(narrow.matches);

narrow.addEventListener("change", () => {
  isPhoneScreen.value = narrow.matches;
});
