import type { Page } from "playwright-core";

/**
 * Script that lists the controls that Tab reaches on a page, or in the dialog over the page, in order. A composite
 * has one tab stop, and parts with a roving tabindex have none. In a dialog, the focus is already inside.
 */
const BEGIN = `(() => {
  const dialog = document.querySelector("dialog[open]");
  window.__stops = [...(dialog ?? document.querySelector("main"))
    .querySelectorAll(":is(a[href], button, input, select, textarea, summary, [tabindex])")]
    .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }));
  document.activeElement?.blur();
  if (dialog) window.__stops.shift().focus();
  else document.querySelector(".skip").focus();
  return [Boolean(dialog), window.__stops.length];
})()`;

const STEP = (n: number) => `(() => {
  const [here, due] = [document.activeElement, window.__stops[${n}]];
  const named = (one) => one.outerHTML.slice(0, 90);
  const { top, bottom, width } = here.getBoundingClientRect();
  const drawn = [here, here.parentElement, here.closest(".box, label"), ...here.querySelectorAll("*")].filter(Boolean);
  const shows = drawn.map(getComputedStyle).some(({ outlineStyle, boxShadow }) => outlineStyle !== "none" || boxShadow !== "none");
  if (here !== due) return "goes by Tab to " + named(here) + ", not to " + named(due);
  if (bottom < 0 || top > innerHeight || width === 0) return "does not show " + named(here);
  if (!shows) return "does not show that the focus is on " + named(here);
})()`;

/** Maximum number of controls per page that the test visits. */
const MOST_STEPS = 12;

/**
 * Returns the faults of a page for keyboard users, one per line: the skip link must lead to the content, and Tab must
 * reach each of the first controls, which must show the focus.
 */
export async function findKeyboardFaults(page: Page): Promise<string[]> {
  const [inDialog, stops] = (await page.evaluate(BEGIN)) as [boolean, number];
  if (!inDialog) await page.keyboard.press("Enter");
  for (let n = 0; n < Math.min(stops, MOST_STEPS); n += 1) {
    await page.keyboard.press("Tab");
    const fault = await page.evaluate(STEP(n));
    if (fault) return [String(fault)];
  }
  return [];
}
