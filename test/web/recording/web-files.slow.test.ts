import { expect } from "chai";
import type { Page } from "playwright-core";
import { reportCall } from "../../support/recording/agent-calls.ts";
import { freshOrganization } from "../../support/server.ts";
import { LOOKS, lookAt, violations } from "../../support/web/axe.ts";
import { clicked, tapped } from "../../support/web/pointer.ts";
import { inBrowser } from "../../support/web/web.ts";
import { type Workspace, workspaceOf } from "../../support/workspace.ts";

const PATCH = `*** Begin Patch
*** Update File: src/money/round.ts
@@ roundHalfEven
 const half = 0.5
-return floor(sum)
+return round(sum)
*** Add File: docs/rounding.md
+Half to even.
*** End Patch`;

describe("files and commits in the web app", function () {
  this.timeout(180_000);
  let space: Workspace;
  let id: string;
  const web = inBrowser(async () => {
    space = await workspaceOf(await freshOrganization());
    const edit = (file_path: string, old_string: string, new_string: string) => ({
      tool: "Edit",
      input: { file_path, old_string, new_string },
      response: {},
    });
    await reportCall(space, "files", edit("/work/app/src/money/round.ts", "first\nold", "first\nnew\nlast"));
    await reportCall(space, "files", edit("/elsewhere/src/money/round.ts", "none", "of it"));
    await reportCall(space, "files", { tool: "apply_patch", input: { input: PATCH }, response: { output: "Done" } });
    for (const [old, next] of ["ab", "bc"])
      await reportCall(space, "files", edit("/work/app/src/twice.ts", `${old}`, `${next}`));
    const commit = "git commit -m 'Round half to even'";
    const stdout = "[main 1a2b3c4] Round half to even";
    await reportCall(space, "files", {
      tool: "Bash",
      input: { command: commit },
      response: { stdout, stderr: "", interrupted: false },
    });
    const { recordedSessions } = await space.gql("{ recordedSessions { nodes { id } } }");
    id = recordedSessions.nodes[0].id;
  });
  const linesOf = async (page: Page, name: string) =>
    (
      await page
        .getByRole("region", { name: new RegExp(`^Change \\d of ${name}$`) })
        .locator(".ln")
        .allTextContents()
    ).map((line) => line.trim());

  it("shows a file's changes as the recorded calls tell them, those of no other file, and leads to the calls", async () => {
    const { page, problems } = await web.open(`/sessions/${id}`, space);
    await clicked(page, page.getByRole("link", { name: "Files", exact: true }));
    const list = page.getByRole("region", { name: "Files changed" });
    await clicked(page, list.getByRole("link", { name: /^src\/money\/round\.ts/ }));
    await page.getByRole("region", { name: "Edit 2" }).waitFor();
    expect(await linesOf(page, "/work/app/src/money/round.ts")).to.deep.equal(["first", "-old", "+new", "+last"]);
    expect(await linesOf(page, "src/money/round.ts")).to.deep.equal([
      "const half = 0.5",
      "-return floor(sum)",
      "+return round(sum)",
    ]);
    expect(await page.getByRole("region", { name: /^Edit / }).count()).to.equal(2);
    await page.keyboard.press("j");
    await page.waitForURL(/file=/);
    await page.goBack();
    await page.goForward();
    await clicked(page, list.getByRole("link", { name: /Round half to even/ }));
    await page.getByRole("complementary", { name: "Event" }).getByText("git commit").first().waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows on the issue's page what its sessions changed and committed, with the last change of a file", async () => {
    const issue = await space.issue();
    const claim =
      "mutation ($id: String!, $sessionId: String!) { issueClaim(input: { id: $id, sessionId: $sessionId }) { success } }";
    await space.gql(claim, { id: issue.id, sessionId: id });
    const { page, problems } = await web.open(`/issues/${issue.identifier}`, space);
    const section = page.getByRole("region", { name: "Files and commits" });
    await section.getByRole("link", { name: /Round half to even/ }).waitFor();
    await page.setViewportSize({ width: 375, height: 812 });
    await tapped(page, section.locator("summary").filter({ hasText: /^src\/money/ }));
    await section.getByRole("region", { name: /^Change 1 of/ }).waitFor();
    await tapped(page, section.getByRole("link", { name: "All 2 changes, by session" }));
    await page.getByRole("region", { name: "Edit 2" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("has nothing for axe to find, and scrolls sideways nowhere", async () => {
    const { page, problems } = await web.open("/connect", space);
    for (const look of LOOKS) {
      await lookAt(page, look);
      await page.goto(`${space.url}/sessions/${id}/files?file=src/twice.ts`);
      await page.getByRole("region", { name: "Change 2 of /work/app/src/twice.ts" }).waitFor();
      expect(await violations(page, look), `${look.width} ${look.theme}`).to.deep.equal([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    }
    expect(problems).to.deep.equal([]);
  });
});
