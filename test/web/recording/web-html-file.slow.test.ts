import { randomUUID } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { HOSTILE_TEXTS } from "../../support/hostile/hostile-texts.ts";
import { createEvent } from "../../support/recording/ingest.ts";
import { createGithubToken } from "../../support/recording/session-scene.ts";
import { callRestApi } from "../../support/server.ts";
import { findViolations } from "../../support/web/axe.ts";
import { clickElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";

/** Maximum characters of a text in the exported file. */
const LONGEST = 20_000;

describe("a session exported as one HTML file", () => {
  const session_id = randomUUID();
  const token = createGithubToken();
  const web = setUpBrowserTests(async ({ url, ingestKey }) => {
    const turn = randomUUID();
    const timestamp = Date.now() - 600_000;
    const tool = { session_id, parent_id: turn, primitive_type: "tool" };
    const events = [
      createEvent({ session_id, event_id: turn, primitive_name: "coder", args: `Try ${HOSTILE_TEXTS[0]}`, timestamp }),
      ...HOSTILE_TEXTS.map((text, n) =>
        createEvent({
          ...tool,
          primitive_name: text.slice(0, 100).trim() || "blank",
          args: text,
          result: text,
          timestamp: timestamp + n,
        }),
      ),
      createEvent({
        ...tool,
        primitive_name: "Bash",
        args: `GITHUB_TOKEN=${token}`,
        result: "Quiet end.",
        timestamp: timestamp + 900,
      }),
    ];
    const { status } = await callRestApi(url, "POST", "/api/v1/capture-events", {
      body: { events },
      headers: { "x-api-key": ingestKey },
    });
    if (status !== 202) throw new Error(`capture-events answered ${status}`);
  });

  it("opens offline, runs and loads nothing, shows hostile text as text, contains no secret, and prints completely", async () => {
    const { page, problems } = await web.open(`/sessions/${session_id}`);
    await page.locator(".tree .ev").first().waitFor();
    await clickElement(page, page.getByRole("button", { name: "More", exact: true }).first());
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      clickElement(page, page.getByRole("button", { name: /^Save as one HTML file/ })),
    ]);
    expect(file.suggestedFilename()).to.equal(`session-${session_id}.html`);
    const path = `${await file.path()}.html`;
    renameSync(await file.path(), path);
    const html = readFileSync(path, "utf8");
    expect(html).not.to.contain(token);
    expect(html).to.match(/class="redacted"[^>]*>github-token [0-9a-f]{4}</);
    const context = await web.browser.newContext({ offline: true });
    const taken = await context.newPage();
    const asked: string[] = [];
    taken.on("request", (request) => asked.push(request.url()));
    await taken.goto(pathToFileURL(path).href);
    expect(asked).to.deep.equal([pathToFileURL(path).href]);
    expect(await taken.evaluate("[window.__ran, document.scripts.length]")).to.deep.equal([undefined, 0]);
    const kinds =
      "html,head,meta,title,style,body,main,header,h1,h2,dl,div,dt,dd,p,details,summary,time,strong,code,b,span,pre";
    expect(await taken.locator(`:not(:is(${kinds}))`).count()).to.equal(0);
    const texts = (await taken.locator("pre").allTextContents()).join("\n");
    for (const text of HOSTILE_TEXTS.filter((each) => /^[\x20-\x7e\n]+$/.test(each)))
      expect(texts).to.contain(text.slice(0, LONGEST));
    const quiet = taken.getByText("Quiet end.");
    expect(await quiet.isVisible()).to.equal(false);
    await taken.emulateMedia({ media: "print" });
    expect(await quiet.isVisible()).to.equal(true);
    await taken.emulateMedia({ media: "screen" });
    expect(await findViolations(taken)).to.deep.equal([]);
    await taken.setViewportSize({ width: 375, height: 800 });
    expect(await taken.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    await context.close();
    expect(problems).to.deep.equal([]);
  });
});
