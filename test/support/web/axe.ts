import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { sample } from "../run/runs.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Combinations of width and theme in which a page is checked: all in CI, one after an edit. */
export const APPEARANCES = sample(
  [1440, 375].flatMap((width) => (["light", "dark"] as const).map((theme) => ({ width, theme }))),
);

/** Rules about colors. Nothing else differs between the themes. */
const COLOURS = ["color-contrast", "link-in-text-block"];

type Appearance = (typeof APPEARANCES)[number];

/** Shows a page in a width and a theme. */
export async function setAppearance(page: Page, { width, theme }: Appearance): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
}

/** Lists the violations that axe finds on a page, one per line. In the dark theme only the rules about colors run. */
export async function findViolations(
  page: Page,
  { theme }: Pick<Appearance, "theme"> = { theme: "light" },
): Promise<string[]> {
  const rules = theme === "dark" ? `runOnly: ${JSON.stringify(COLOURS)}, ` : "";
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, { ${rules}resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) =>
      id + ": " + html.slice(0, 140) + " " + failureSummary.replace(/\\s+/g, " ").slice(0, 160))))`);
}
