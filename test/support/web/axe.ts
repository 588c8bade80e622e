import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { someOf } from "../run/runs.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The widths and themes that a page is looked at in: all of them in CI, one of them after an edit. */
export const LOOKS = someOf(
  [1440, 375].flatMap((width) => (["light", "dark"] as const).map((theme) => ({ width, theme }))),
);

/** The rules that read colours. Nothing else differs between the themes. */
const COLOURS = ["color-contrast", "link-in-text-block"];

type Appearance = (typeof LOOKS)[number];

/** Shows a page in one of the looks. */
export async function lookAt(page: Page, { width, theme }: Appearance): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
}

/** The violations that axe finds on a page, a line each: of all rules, but for those of colours alone in the dark theme. */
export async function violations(
  page: Page,
  { theme }: Pick<Appearance, "theme"> = { theme: "light" },
): Promise<string[]> {
  const rules = theme === "dark" ? `runOnly: ${JSON.stringify(COLOURS)}, ` : "";
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, { ${rules}resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) =>
      id + ": " + html.slice(0, 140) + " " + failureSummary.replace(/\\s+/g, " ").slice(0, 160))))`);
}
