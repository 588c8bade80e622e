import { expect } from "chai";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { callRestApi, startSharedServer } from "../../support/server.ts";
import { findViolations } from "../../support/web/axe.ts";
import { pressEnter } from "../../support/web/pointer.ts";
import { pressUntilShown, setUpBrowserTests } from "../../support/web/web.ts";
import { createWorld, type WebWorld } from "../../support/web/web-world.ts";

describe("an issue's page with relations and a holder", () => {
  let world: WebWorld;
  const web = setUpBrowserTests(async (tenant) => {
    world = await createWorld(tenant);
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

  it("names blocking and blocked issues, and adds new relations without a reload", async () => {
    const [blocker, later] = [await file("Runners are out of disk"), await file("Release after it")];
    await relate({ issueId: blocker.id, relatedIssueId: world.issueId, type: "blocks" });
    const { page, problems } = await web.open(world.path);
    const relations = page.getByRole("region", { name: "Relations" });
    const row = (title: string) => relations.getByRole("listitem").filter({ hasText: title });
    await row("Runners are out of disk").waitFor();
    expect(await relations.innerText()).to.contain("blocked by 1");
    expect(await row("Runners are out of disk").innerText()).to.contain("blocks this");
    await relate({ issueId: world.issueId, relatedIssueId: later.id, type: "blocks" });
    await row("Release after it").waitFor();
    expect(await row("Release after it").innerText()).to.contain("blocked by this");
    await row("Runners are out of disk").getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Runners are out of disk" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows the holder, and a new claim without a reload", async () => {
    const { id, url } = await file("Free to take");
    const { page, problems } = await web.open(new URL(url).pathname);
    await page.getByRole("heading", { level: 1, name: "Free to take" }).waitFor();
    await web.tenant.gql("mutation ($input: IssueClaimInput!) { issueClaim(input: $input) { success } }", {
      input: { id },
    });
    const claim = page.getByRole("region", { name: "Claim" });
    await claim.getByText("claimed", { exact: true }).waitFor();
    expect(await claim.innerText())
      .to.contain("Olive Owner")
      .and.contain("claimed")
      .and.contain("unless the holder renews the lease");
    expect(problems).to.deep.equal([]);
  });

  it("claims and releases the issue, and takes it over from another holder after a confirmation", async () => {
    const { id, identifier, url } = await file("Up for grabs");
    const { page, problems } = await web.open(new URL(url).pathname);
    const claim = page.getByRole("region", { name: "Claim" });
    const button = (name: string) => claim.getByRole("button", { name, exact: true });
    const press = (name: string) => button(name).press("Enter");
    await pressUntilShown(() => press("Claim"), claim.getByText("Olive Owner"));
    expect(await claim.getByRole("meter").getAttribute("aria-valuenow")).to.equal("100");
    expect(await claim.getByRole("button", { name: "Take over…" }).count()).to.equal(0);
    await pressUntilShown(() => press("Release"), claim.getByText("Nobody has claimed this issue."));
    const agent = await web.tenant.rest("POST", "/api/agents", { name: "Night shift" });
    const query = "mutation ($id: String!) { issueClaim(input: { id: $id }) { lease { fence } } }";
    await callRestApi(web.tenant.url, "POST", "/graphql", {
      body: { query, variables: { id } },
      headers: { authorization: String(agent.body["token"]) },
    });
    await claim.getByText("Night shift").waitFor();
    await press("Take over…");
    const dialog = page.getByRole("dialog", { name: `Take over ${identifier}?` });
    await pressEnter(dialog.getByRole("button", { name: "Cancel" }));
    await claim.getByText("Night shift").waitFor();
    const takeOver = async () => {
      // A busy server may have ended the claim of the other user and refused the new claim.
      if (await button("Claim").isVisible()) return press("Claim");
      await press("Take over…");
      await pressEnter(dialog.getByRole("button", { name: "Take over" }));
    };
    await pressUntilShown(takeOver, claim.getByText("Olive Owner"));
    expect(await findViolations(page)).to.deep.equal([]);
    const held = await web.tenant.gql("query ($id: String!) { issue(id: $id) { lease { holder { name } fence } } }", {
      id,
    });
    expect(held.issue.lease).to.deep.equal({ holder: { name: "Olive Owner" }, fence: 3 });
    expect(problems).to.deep.equal([]);
  });

  it("names the failures that the issue was filed about, with their number and place", async () => {
    const { runtime } = await startSharedServer();
    await updateHourAndGroupCounts(runtime);
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
    const seen = page.getByRole("region", { name: "Failures" });
    expect(await seen.innerText())
      .to.contain(group.message)
      .and.contain(`${group.count} times in ${group.sessions} sessions`);
    await seen.getByRole("link").last().press("Enter");
    await page.getByRole("group", { name: "Result, failed" }).waitFor();
    expect(problems).to.deep.equal([]);
  });
});
