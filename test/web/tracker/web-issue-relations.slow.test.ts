import { expect } from "chai";
import { countRecorded } from "../../../server/jobs/analytics.ts";
import { call, sharedServer } from "../../support/server.ts";
import { violations } from "../../support/web/axe.ts";
import { entered } from "../../support/web/pointer.ts";
import { inBrowser, pressUntil } from "../../support/web/web.ts";
import { makeWorld, type World } from "../../support/web/web-world.ts";

describe("an issue's page", function () {
  this.timeout(180_000);
  let world: World;
  const web = inBrowser(async (tenant) => {
    world = await makeWorld(tenant);
  });
  const file = async (title: string) =>
    (
      await web.tenant.gql(
        "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier url } } }",
        {
          input: { teamId: world.teamId, title },
        },
      )
    ).issueCreate.issue;
  const relate = (input: object) =>
    web.tenant.gql("mutation ($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }", {
      input,
    });

  it("names what it waits for and what waits for it, also what comes while somebody looks", async () => {
    const [blocker, later] = [await file("Runners are out of disk"), await file("Release after it")];
    await relate({ issueId: blocker.id, relatedIssueId: world.issueId, type: "blocks" });
    const { page, problems } = await web.open(world.path);
    const relations = page.getByRole("region", { name: "Relations" });
    const row = (title: string) => relations.getByRole("listitem").filter({ hasText: title });
    await row("Runners are out of disk").waitFor();
    expect(await relations.innerText()).to.contain("waits for 1");
    expect(await row("Runners are out of disk").innerText()).to.contain("blocks this");
    await relate({ issueId: world.issueId, relatedIssueId: later.id, type: "blocks" });
    await row("Release after it").waitFor();
    expect(await row("Release after it").innerText()).to.contain("blocked by this");
    await row("Runners are out of disk").getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Runners are out of disk" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("says who holds it, also when it is claimed while somebody looks", async () => {
    const { id, url } = await file("Free to take");
    const { page, problems } = await web.open(new URL(url).pathname);
    await page.getByRole("heading", { level: 1, name: "Free to take" }).waitFor();
    await web.tenant.gql("mutation ($input: IssueClaimInput!) { issueClaim(input: $input) { success } }", {
      input: { id },
    });
    const claim = page.getByRole("region", { name: "Claim" });
    await claim.getByText("held", { exact: true }).waitFor();
    expect(await claim.innerText())
      .to.contain("Olive Owner")
      .and.contain("held")
      .and.contain("unless it is renewed");
    expect(problems).to.deep.equal([]);
  });

  it("is claimed, given back, and taken over from somebody else, who is asked about first", async () => {
    const { id, identifier, url } = await file("Up for grabs");
    const { page, problems } = await web.open(new URL(url).pathname);
    const claim = page.getByRole("region", { name: "Claim" });
    const button = (name: string) => claim.getByRole("button", { name, exact: true });
    const press = (name: string) => button(name).press("Enter");
    await pressUntil(() => press("Claim"), claim.getByText("Olive Owner"));
    expect(await claim.getByRole("meter").getAttribute("aria-valuenow")).to.equal("100");
    expect(await claim.getByRole("button", { name: "Take over…" }).count()).to.equal(0);
    await pressUntil(() => press("Release"), claim.getByText("Nobody holds it."));
    const agent = await web.tenant.rest("POST", "/api/agents", { name: "Night shift" });
    const query = "mutation ($id: String!) { issueClaim(input: { id: $id }) { lease { fence } } }";
    await call(web.tenant.url, "POST", "/graphql", {
      body: { query, variables: { id } },
      headers: { authorization: String(agent.body["token"]) },
    });
    await claim.getByText("Night shift").waitFor();
    await press("Take over…");
    const dialog = page.getByRole("dialog", { name: `Take over ${identifier}?` });
    await entered(dialog.getByRole("button", { name: "Leave it" }));
    await claim.getByText("Night shift").waitFor();
    const takeOver = async () => {
      // A busy server may have ended the other's claim, and refused the new one.
      if (await button("Claim").isVisible()) return press("Claim");
      await press("Take over…");
      await entered(dialog.getByRole("button", { name: "Take over" }));
    };
    await pressUntil(takeOver, claim.getByText("Olive Owner"));
    expect(await violations(page)).to.deep.equal([]);
    const held = await web.tenant.gql("query ($id: String!) { issue(id: $id) { lease { holder { name } fence } } }", {
      id,
    });
    expect(held.issue.lease).to.deep.equal({ holder: { name: "Olive Owner" }, fence: 3 });
    expect(problems).to.deep.equal([]);
  });

  it("names the failures it was filed about, with how often and where they were seen", async () => {
    const { runtime } = await sharedServer();
    await countRecorded(runtime);
    const { recordedTool } = await web.tenant.gql(
      "query ($name: String!) { recordedTool(name: $name) { failureGroups { id message count sessions } } }",
      { name: world.tool },
    );
    const [group] = recordedTool.failureGroups;
    const { issueCreateFromFailure } = await web.tenant.gql(
      "mutation ($input: IssueCreateFromFailureInput!) { issueCreateFromFailure(input: $input) { issue { url } } }",
      { input: { failureGroupId: group.id, teamId: world.teamId } },
    );
    const { page, problems } = await web.open(new URL(issueCreateFromFailure.issue.url).pathname);
    const seen = page.getByRole("region", { name: "Seen in" });
    expect(await seen.innerText())
      .to.contain(group.message)
      .and.contain(`${group.count} times in ${group.sessions} sessions`);
    await seen.getByRole("link").last().press("Enter");
    await page.getByRole("group", { name: "Result, failed" }).waitFor();
    expect(problems).to.deep.equal([]);
  });
});
