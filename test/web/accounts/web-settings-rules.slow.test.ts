import { expect } from "chai";
import type { Locator } from "playwright-core";
import { inviteGuest } from "../../support/members.ts";
import { createOrganization, startSharedServer } from "../../support/server.ts";
import { startReceiver } from "../../support/stream/receiver.ts";
import { clickElement, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspace, createWorkspaceIn } from "../../support/workspace.ts";

describe("the settings pages for owners (rules, prices, proofs)", () => {
  const web = setUpBrowserTests();

  it("create a notice rule, test it, list and resend its deliveries, change and delete it", async () => {
    const heard = await startReceiver();
    const { page, problems } = await web.open("/settings/notices");
    await page.getByRole("button", { name: "Add a rule" }).click();
    const dialog = page.getByRole("dialog", { name: "New rule" });
    await dialog.getByLabel("Name").fill("Dear days");
    await dialog.getByLabel("When").selectOption("dayCost");
    await dialog.getByLabel("US dollars").fill("25");
    await dialog.getByLabel("Channel").selectOption("webhook");
    await dialog.getByLabel("URL").fill(heard.url);
    await dialog.getByRole("button", { name: "Create rule" }).click();
    await page.getByRole("table", { name: "Rules" }).getByText("Daily cost of all sessions").waitFor();
    await page.getByRole("button", { name: "Test Dear days" }).click();
    await heard.until((all) => all.length > 0);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("button", { name: "Delivered" }).click();
    await page.getByText("Attempt 1").waitFor();
    await page.reload();
    await page.getByRole("table", { name: "Rules" }).getByText("1 sent").waitFor();
    const channels = page.getByRole("list", { name: "Notices of the last 30 days by channel" });
    expect((await channels.innerText()).replaceAll(/\s+/g, " ")).to.equal("Last 30 days: Webhook 1 sent");
    await page.getByRole("button", { name: "Delivered" }).click();
    await page.getByText("Attempt 1").waitFor();
    await page.getByRole("button", { name: /^Redeliver/ }).click();
    await heard.until((all) => all.length > 1);
    await page.getByRole("button", { name: "Edit Dear days" }).click();
    const edited = page.getByRole("dialog", { name: "Edit rule" });
    expect([
      await edited.getByLabel("When").isDisabled(),
      await edited.getByLabel("US dollars").inputValue(),
    ]).to.deep.equal([true, "25"]);
    await edited.getByLabel("US dollars").fill("50");
    await edited.getByLabel("Quiet hours from").fill("22:00");
    await edited.getByRole("button", { name: "Save" }).click();
    await edited.getByText("quietFrom and quietTo go together").waitFor();
    await edited.getByLabel("to", { exact: true }).fill("07:00");
    await edited.getByRole("button", { name: "Save" }).click();
    await edited.waitFor({ state: "detached" });
    await page.getByLabel("Dear days is enabled").click();
    await page.getByText("Rule disabled.").waitFor();
    const query = "{ noticeRules { nodes { name enabled threshold quietFrom quietTo channel } } }";
    const rule = {
      name: "Dear days",
      enabled: false,
      threshold: 50,
      quietFrom: "22:00",
      quietTo: "07:00",
      channel: "webhook",
    };
    expect((await web.tenant.gql(query)).noticeRules.nodes).to.deep.equal([rule]);
    await page.getByRole("button", { name: "Delete Dear days" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "No rules yet" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("save custom prices and their switch", async () => {
    const { page, problems } = await web.open("/settings/prices");
    await page.getByRole("button", { name: "Add custom price" }).click();
    const fields = { Model: "gpt-5*", Input: "1.5", Output: "8", "Cache read": "0.1", "Valid from": "2026-01-01" };
    for (const [name, text] of Object.entries(fields)) await page.getByLabel(`${name} of price 1`).fill(text);
    await page.getByLabel("Compute costs").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.reload();
    expect(await page.getByLabel("Output of price 1").inputValue()).to.equal("8");
    const { organization } = await web.tenant.gql("{ organization { pricesEnabled ownPrices } }");
    expect(organization.pricesEnabled).to.equal(false);
    expect(organization.ownPrices).to.have.length(1);
    expect(organization.ownPrices[0]).to.include({ model: "gpt-5*", input: 1.5, output: 8, cacheRead: 0.1 });
    await page.getByRole("button", { name: "Remove price 1" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect((await web.tenant.gql("{ organization { ownPrices } }")).organization.ownPrices).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
  });

  it("show list prices beside custom prices, filtered by part of a model's name", async () => {
    const { page, problems } = await web.open("/settings/prices");
    const list = page.getByRole("region", { name: "List prices" }).getByRole("row");
    await list.nth(50).waitFor();
    await page.getByText(/^The table shows the first 50 of \d{3,} models/).waitFor();
    await page.getByLabel("Find a model").fill("Claude-SONNET-4-5");
    await page.keyboard.press("Enter");
    const row = list.filter({ hasText: "claude-sonnet-4-5" }).first();
    await row.filter({ hasText: /\$3\.00\s*\$15\.00\s*\$0\.30\s*\$3\.75/ }).waitFor();
    expect(await list.count()).to.be.below(50);
    await page.getByLabel("Find a model").fill("in-house-7b");
    await page.keyboard.press("Enter");
    await page.getByText("Without a custom price, the cost of the model is unknown").waitFor();
    const { status, body } = await web.tenant.rest("GET", "/api/prices?search=gpt-4o-mini");
    const { prices, total } = body as unknown as { prices: { model: string; input: number }[]; total: number };
    expect([status, prices.length]).to.deep.equal([200, total]);
    expect(prices.find(({ model }) => model === "gpt-4o-mini")).to.include({ input: 0.15 });
    expect((await web.tenant.rest("GET", `/api/prices?search=${"x".repeat(101)}`)).status).to.equal(400);
    expect(problems).to.deep.equal([]);
  });

  it("set which commands prove a team's issues and whether completion is refused; members can only read", async () => {
    const own = await createOrganization();
    await createWorkspaceIn(own, "ENG");
    const { page, problems } = await web.open("/settings/proof", own);
    const command = page.getByRole("button", { name: "Add command", exact: true });
    const typed = page.getByLabel("New command");
    const focused = (one: Locator) => one.and(page.locator(":focus")).waitFor();
    await clickElement(page, command);
    for (const text of ["npm test", "npm run wrong"]) {
      await focused(typed);
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      // The button has the focus again, so a keyboard user can continue.
      await focused(command);
      await page.keyboard.press("Enter");
    }
    await page.keyboard.press("Escape");
    await focused(command);
    await clickElement(page, page.getByRole("button", { name: "Remove npm run wrong" }));
    await clickElement(page, command);
    await typed.fill(" npm run check ");
    await page.getByLabel("Refuse completion without proof").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const { teams } = await own.gql("{ teams { nodes { proof } } }");
    expect(teams.nodes[0].proof).to.include({ required: true, commit: false });
    expect(teams.nodes[0].proof.commands).to.deep.equal(["npm test", "npm run check"]);
    const member = await web.open("/settings/proof", await inviteGuest(own));
    await member.page.getByLabel("Commands", { exact: true }).getByText("npm run check").waitFor();
    expect(await member.page.getByLabel("Refuse completion without proof").isDisabled()).to.equal(true);
    await member.page.goto(`${own.url}/settings/notices`);
    await member.page.getByText("Only owners of the organization can see and change this page.").waitFor();
    await member.page.goto(`${own.url}/settings/prices`);
    expect(await member.page.getByLabel("Compute costs").isDisabled()).to.equal(true);
    expect([...problems, ...member.problems]).to.deep.equal([]);
  });

  it("count the proof verdicts of 30 days and open the issues behind a count by touch", async () => {
    const space = await createWorkspace();
    await space.does("teamUpdate", { id: space.teamId, input: { proof: { commands: ["npm test"], required: false } } });
    for (let n = 0; n < 2; n += 1) await space.does("issueComplete", { id: (await space.issue()).id });
    const other = await space.issue({ title: "Judged long ago" });
    await space.does("issueComplete", { id: other.id });
    await (await startSharedServer()).runtime.db.query({
      text: `update "issueProof" set "updatedAt" = now() - interval '31 days' where id = $1`,
      values: [other.id],
    });
    const { page, problems } = await web.open("/settings/proof", space);
    await page.setViewportSize({ width: 375, height: 800 });
    const unproven = page.getByRole("link", { name: "2 unproven" });
    await page.getByRole("link", { name: "0 verified" }).waitFor();
    await page.getByRole("link", { name: "0 contradicted" }).waitFor();
    await tapElement(page, unproven);
    await page.waitForURL(/\/issues\?team=.*proof=unproven/);
    await page.getByText("Judged long ago").waitFor();
    expect(problems).to.deep.equal([]);
  });
});
