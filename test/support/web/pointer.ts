import type { ElementHandle, Locator, Page } from "playwright-core";

/** So long a hand holds a button, in ms. */
export const HOLD_MS = 80;

/** Presses the button of the mouse, and lets it go as a hand does. */
export async function clicked(page: Page, link: Locator): Promise<void> {
  await middleOf(link);
  await clickedAt(page, link);
}

/** The same where it stands, once it stands: a person does not press what is still scrolling, or greyed out. */
export async function clickedAt(page: Page, link: Locator): Promise<void> {
  const element = await enabled(link);
  await element?.waitForElementState("stable");
  const { x = 0, y = 0, height = 0 } = (await link.boundingBox()) ?? {};
  await page.mouse.move(x + 10, y + height / 2);
  await page.mouse.down();
  await page.waitForTimeout(HOLD_MS);
  await page.mouse.up();
}

/** Puts a finger on it and takes it away. */
export async function tapped(page: Page, link: Locator): Promise<void> {
  await enabled(link);
  const { x, y } = await middleOf(link);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  await page.waitForTimeout(HOLD_MS);
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await cdp.detach();
}

/** Presses Enter on a button, once it is one that can be pressed. */
export async function entered(button: Locator): Promise<void> {
  await enabled(button);
  await button.press("Enter");
}

const HAS_FOCUS = (element: unknown): boolean => {
  const { ownerDocument } = element as { ownerDocument: { activeElement: unknown } };
  return ownerDocument.activeElement === element;
};

/** More keys than a person would press to come to something on a page. */
const MOST_STEPS = 120;

/** Comes to something by Tab, to an option of a list by the arrow keys, and presses Enter. */
export async function walkedTo(page: Page, target: Locator): Promise<void> {
  await enabled(target);
  const isOption = (await target.getAttribute("role")) === "option";
  const isThere = () =>
    isOption ? target.getAttribute("aria-selected").then((is) => is === "true") : target.evaluate(HAS_FOCUS);
  for (let steps = 0; !(await isThere()); steps += 1) {
    if (steps === MOST_STEPS) throw new Error(`no key leads to ${target}`);
    await page.keyboard.press(isOption ? "ArrowDown" : "Tab");
  }
  await page.keyboard.press("Enter");
}

/** Waits until something can be pressed: a form's button may wait for its choices. */
async function enabled(target: Locator): Promise<ElementHandle | null> {
  const element = await target.elementHandle();
  await element?.waitForElementState("enabled");
  return element;
}

interface Scrolls {
  scrollIntoView(where: { block: "center" }): void;
}

/** The place at which something is pressed, once it is in view. */
export async function middleOf(link: Locator): Promise<{ x: number; y: number }> {
  await link.evaluate((element: unknown) => (element as Scrolls).scrollIntoView({ block: "center" }));
  const box = await link.boundingBox();
  if (!box) throw new Error(`${link} is not shown`);
  // Near its beginning: a long one may reach behind what lies over its end.
  return { x: box.x + Math.min(20, box.width / 2), y: box.y + box.height / 2 };
}

/** Drags something onto something else, as a hand does. */
export async function dragged(page: Page, from: Locator, to: Locator): Promise<void> {
  const [source, target] = [await middleOf(from), await to.boundingBox()];
  if (!target) throw new Error(`${to} is not shown`);
  const end = { x: target.x + target.width / 2, y: target.y + Math.min(120, target.height / 2) };
  await page.mouse.move(source.x, source.y);
  await page.mouse.down();
  await page.waitForTimeout(HOLD_MS);
  await page.mouse.move((source.x + end.x) / 2, (source.y + end.y) / 2, { steps: 5 });
  await page.mouse.move(end.x, end.y, { steps: 5 });
  await page.waitForTimeout(HOLD_MS);
  await page.mouse.up();
}
