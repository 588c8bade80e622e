import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 767px)");

/**
 * True if the window is as narrow as a phone's: the document scrolls then, and no part of it does. Turning a phone
 * changes it.
 */
export const phone = signal(narrow.matches);

narrow.addEventListener("change", () => {
  phone.value = narrow.matches;
});
