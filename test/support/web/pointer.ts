import type { ElementHandle, Locator, Page } from "playwright-core";

/** Time for which a pointer holds a button, in ms. */
export const HOLD_MS = 80;

/** Presses the mouse button on an element, and releases the button as a user does. */
export async function clickElement(page: Page, link: Locator): Promise<void> {
  await findPressPoint(link);
  await clickAtPosition(page, link);
}

/** Clicks at the element's position once the element stands still and is enabled. */
export async function clickAtPosition(page: Page, link: Locator): Promise<void> {
  const element = await enabled(link);
  await element?.waitForElementState("stable");
  const { x = 0, y = 0, height = 0 } = (await link.boundingBox()) ?? {};
  await page.mouse.move(x + 10, y + height / 2);
  await page.mouse.down();
  await page.waitForTimeout(HOLD_MS);
  await page.mouse.up();
}

/** Touches an element with a finger. */
export async function tapElement(page: Page, link: Locator): Promise<void> {
  await enabled(link);
  const { x, y } = await findPressPoint(link);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
  await page.waitForTimeout(HOLD_MS);
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await cdp.detach();
}

/** Presses Enter on a button once the button is enabled. */
export async function pressEnter(button: Locator): Promise<void> {
  await enabled(button);
  await button.press("Enter");
}

const HAS_FOCUS = (element: unknown): boolean => {
  const { ownerDocument } = element as { ownerDocument: { activeElement: unknown } };
  return ownerDocument.activeElement === element;
};

/** Limit of key presses for reaching an element: more than a user would accept. */
const MOST_STEPS = 120;

/** Reaches an element with Tab, or an option of a list with the arrow keys, and presses Enter. */
export async function reachByKeyboard(page: Page, target: Locator): Promise<void> {
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

/** Waits until an element is enabled: the button of a form may wait for choices to load. */
async function enabled(target: Locator): Promise<ElementHandle | null> {
  const element = await target.elementHandle();
  await element?.waitForElementState("enabled");
  return element;
}

interface Scrolls {
  scrollIntoView(where: { block: "center" }): void;
}

/** Returns the position at which an element is pressed, once the element is in view and stands still. */
export async function findPressPoint(link: Locator): Promise<{ x: number; y: number }> {
  await link.evaluate((element: unknown) => (element as Scrolls).scrollIntoView({ block: "center" }));
  await (await link.elementHandle())?.waitForElementState("stable");
  const box = await link.boundingBox();
  if (!box) throw new Error(`${link} is not shown`);
  // Near the start of the element, because another element may cover the end of a long element.
  return { x: box.x + Math.min(20, box.width / 2), y: box.y + box.height / 2 };
}

/** Drags an element onto another, as a user does. */
export async function dragElement(page: Page, from: Locator, to: Locator): Promise<void> {
  const [source, target] = [await findPressPoint(from), await to.boundingBox()];
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
