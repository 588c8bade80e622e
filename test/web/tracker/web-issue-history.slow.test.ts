import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { HOSTILE_TEXTS } from "../../support/hostile/hostile-texts.ts";
import { callRestApi } from "../../support/server.ts";
import { createAgent } from "../../support/tracker/work.ts";
import { APPEARANCES, findViolations, setAppearance } from "../../support/web/axe.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

describe("history and sessions on an issue's page", () => {
  let space: Workspace;
  let path: string;
  const session = randomUUID();
  const web = setUpBrowserTests(async (tenant) => {
    space = await createWorkspaceIn(tenant);
    const { id, url } = await space.issue({ title: "Round prices once", sessionId: session });
    path = new URL(url).pathname;
    const args = "Round the prices.";
    const event = { event_id: randomUUID(), session_id: session, primitive_name: "claude-code", args, result: "ok" };
    const headers = { "x-api-key": space.ingestKey };
    await callRestApi(space.url, "POST", "/api/v1/capture-events", { body: { events: [event] }, headers });
    await space.does("issueUpdate", { id, input: { priority: 1, description: "Twice is wrong." } });
    const agent = await createAgent(space, "Rounder");
    await agent.claim({ id, sessionId: session });
    for (const title of HOSTILE_TEXTS.slice(0, 12))
      await space.does("issueUpdate", { id, input: { title: title.slice(0, 500) } });
    for (let n = 0; n < 30; n += 1) await space.does("issueUpdate", { id, input: { title: `Title ${n}` } });
  });

  it("show the history page by page, and add new changes without a reload", async () => {
    const { page, problems } = await web.open(path);
    const said = page.getByRole("list", { name: "Conversation" });
    await said.getByText("changed the title from “Title 28” to “Title 29”").waitFor();
    await said.getByRole("link", { name: "Round the prices." }).waitFor();
    // Thirty changes and one session.
    expect(await said.getByRole("listitem").count()).to.equal(31);
    await page.getByRole("button", { name: "Older changes" }).click();
    await said.getByText("created the issue").waitFor();
    await said.getByText("set the priority to Urgent").waitFor();
    expect(await said.getByRole("listitem").filter({ hasText: "claimed the issue" }).innerText()).to.match(
      /^RO?\s*Rounder on behalf of Olive Owner claimed the issue, changed the state from Backlog to In Progress, set the delegate to Rounder/,
    );
    const count = await said.getByRole("listitem").count();
    await space.does("issueUpdate", { id: "ENG-1", input: { title: "Title 30" } });
    await said.getByText("to “Title 30”").waitFor();
    expect(await said.getByRole("listitem").count()).to.equal(count + 1);
    expect(await page.evaluate("window.__ran")).to.equal(undefined);
    expect(problems).to.deep.equal([]);
  });

  it("link from the issue to its sessions and back", async () => {
    const { page, problems } = await web.open(path);
    const row = page.getByRole("listitem").filter({ hasText: "Round the prices." });
    await row.getByText("claimed").waitFor();
    await row.getByText("filed").waitFor();
    await row.getByRole("link", { name: "Round the prices." }).click();
    await page.getByRole("treegrid").waitFor();
    await page.getByRole("link", { name: "ENG-1" }).click();
    await page.getByRole("heading", { name: "Conversation" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("have no axe violations, in both themes, wide and narrow", async () => {
    const { page } = await web.open(path);
    await page.getByRole("list", { name: "Conversation" }).waitFor();
    await page.getByRole("link", { name: "Round the prices." }).waitFor();
    for (const look of APPEARANCES) {
      await setAppearance(page, look);
      expect(await findViolations(page, look), `${look.width} ${look.theme}`).to.deep.equal([]);
    }
  });
});
