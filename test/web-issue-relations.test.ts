import { expect } from "chai";
import { inBrowser } from "./support/web.ts";
import { makeWorld, type World } from "./support/web-world.ts";

describe("an issue's page", function () {
  this.timeout(60_000);
  let world: World;
  const web = inBrowser(async (tenant) => {
    world = await makeWorld(tenant);
  });
  const file = async (title: string) =>
    (
      await web.tenant.gql("mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id url } } }", {
        input: { teamId: world.teamId, title },
      })
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
    expect(await row("Release after it").innerText()).to.contain("waits for this");
    await row("Runners are out of disk").getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Runners are out of disk" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("says who holds it, also when it is claimed while somebody looks", async () => {
    const { id, url } = await file("Free to take");
    const { page, problems } = await web.open(new URL(url).pathname);
    await page.getByRole("heading", { level: 1, name: "Free to take" }).waitFor();
    expect(await page.getByRole("region", { name: "Claim" }).count()).to.equal(0);
    await web.tenant.gql("mutation ($input: IssueClaimInput!) { issueClaim(input: $input) { success } }", {
      input: { id },
    });
    const claim = page.getByRole("region", { name: "Claim" });
    await claim.waitFor();
    expect(await claim.innerText())
      .to.contain("Olive Owner")
      .and.contain("held")
      .and.contain("unless it is renewed");
    expect(problems).to.deep.equal([]);
  });
});
