import { expect } from "chai";
import { pressEnter } from "../../support/web/pointer.ts";
import { setUpSessionListTests } from "../../support/web/session-list.ts";

describe("the list of sessions at every width, zoomed, and with a partial search", () => {
  const { web, shows } = setUpSessionListTests();
  const { open } = web;

  it("has rows without gaps and readable titles at every width, also after a resize", async () => {
    const { page } = await open("/sessions");
    for (const width of [1280, 375, 800, 768, 767, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole("table", { name: "Sessions" }).locator("tbody tr").nth(2).waitFor();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const rows = (await page.evaluate(`[...document.querySelectorAll(".slist tbody tr")]
        .map((row) => [row.getBoundingClientRect(), row.querySelector(".c-title").getBoundingClientRect().width])
        .map(([{ top, bottom }, title]) => ({ top, bottom, title })).sort((one, other) => one.top - other.top)`)) as {
        top: number;
        bottom: number;
        title: number;
      }[];
      expect(
        rows.slice(1).map(({ top }) => top),
        `${width}`,
      ).to.deep.equal(rows.slice(0, -1).map(({ bottom }) => bottom));
      expect(Math.min(...rows.map(({ title }) => title)), `${width}`).to.be.greaterThan(150);
    }
  });

  it("zooms the bars into the selected range and out again, by keyboard alone", async () => {
    const { page, problems } = await open("/sessions");
    await shows(page, [4, 3, 2, 1, 0]);
    await page.getByRole("img", { name: /^5 sessions, 4 with failures/ }).waitFor();
    const far = await page.locator(".axis span").first().innerText();
    await page.getByRole("slider", { name: "Start of the time range" }).focus();
    for (let n = 0; n < 47; n += 1) await page.keyboard.press("ArrowRight");
    await pressEnter(page.getByRole("button", { name: "Zoom in" }));
    await page.getByRole("button", { name: "Zoom out" }).waitFor();
    await page.waitForURL((at) => at.searchParams.get("zoom") === "1");
    await page.getByRole("img", { name: /^5 sessions, 4 with failures/ }).waitFor();
    const near = await page.locator(".axis span").first().innerText();
    await pressEnter(page.getByRole("button", { name: "Reset" }));
    await page.getByText("Drag to select a time range").waitFor();
    expect(near).not.to.equal(far);
    // The clock may have advanced to the next minute.
    await page
      .locator(".axis span")
      .first()
      .and(page.locator(`:not(:text-is(${JSON.stringify(near)}))`))
      .waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows how far back a search came, and continues on request", async () => {
    const { page } = await open("/connect");
    await page.route("**/graphql", async (route) => {
      const { query, variables } = route.request().postDataJSON() as { query: string; variables: object };
      if (!query.includes("recordedSearch")) return route.continue();
      const narrow = query.replace("first: 50", "first: 50, most: 4");
      return route.continue({ postData: JSON.stringify({ query: narrow, variables }) });
    });
    await page.goto(`${web.tenant.url}/sessions?q=Question%200`);
    await page.getByText(/^0 hits in 4 events, searched back to/).waitFor();
    await page.getByRole("heading", { name: "No matches so far" }).waitFor();
    const further = page.getByRole("button", { name: "Search further back" });
    while (await further.isVisible()) await further.click({ timeout: 1_000 }).catch(() => {});
    await page.getByText(/^1 hit in \d+ events?, whole time range searched/).waitFor();
  });
});
