import { expect } from "chai";
import type { Page } from "playwright-core";
import { reportCall } from "../../support/recording/agent-calls.ts";
import { createOrganization } from "../../support/server.ts";
import { APPEARANCES, findViolations, setAppearance } from "../../support/web/axe.ts";
import { clickElement, tapElement } from "../../support/web/pointer.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const PATCH = `*** Begin Patch
*** Update File: src/money/round.ts
@@ roundHalfEven
 const half = 0.5
-return floor(sum)
+return round(sum)
*** Add File: docs/rounding.md
+Half to even.
*** End Patch`;

describe("files and commits in the web app", () => {
  let space: Workspace;
  let id: string;
  const web = setUpBrowserTests(async () => {
    space = await createWorkspaceIn(await createOrganization());
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

  it("show the changes of a file from recorded calls, without changes of other files, and link to the calls", async () => {
    const { page, problems } = await web.open(`/sessions/${id}`, space);
    await clickElement(page, page.getByRole("link", { name: "Files", exact: true }));
    const list = page.getByRole("region", { name: "Files changed" });
    await clickElement(page, list.getByRole("link", { name: /^src\/money\/round\.ts/ }));
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
    await clickElement(page, list.getByRole("link", { name: /Round half to even/ }));
    await page.getByRole("complementary", { name: "Event" }).getByText("git commit").first().waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("show on an issue's page the files and commits of its sessions, with the last change of each file", async () => {
    const issue = await space.issue();
    const claim =
      "mutation ($id: String!, $sessionId: String!) { issueClaim(input: { id: $id, sessionId: $sessionId }) { success } }";
    await space.gql(claim, { id: issue.id, sessionId: id });
    const { page, problems } = await web.open(`/issues/${issue.identifier}`, space);
    const section = page.getByRole("region", { name: "Files and commits" });
    await section.getByRole("link", { name: /Round half to even/ }).waitFor();
    await page.setViewportSize({ width: 375, height: 812 });
    await tapElement(page, section.locator("summary").filter({ hasText: /^src\/money/ }));
    await section.getByRole("region", { name: /^Change 1 of/ }).waitFor();
    await tapElement(page, section.getByRole("link", { name: "Show all 2 changes by session" }));
    await page.getByRole("region", { name: "Edit 2" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("have no axe violations and no horizontal scrolling", async () => {
    const { page, problems } = await web.open("/connect", space);
    for (const look of APPEARANCES) {
      await setAppearance(page, look);
      await page.goto(`${space.url}/sessions/${id}/files?file=src/twice.ts`);
      await page.getByRole("region", { name: "Change 2 of /work/app/src/twice.ts" }).waitFor();
      expect(await findViolations(page, look), `${look.width} ${look.theme}`).to.deep.equal([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
    }
    expect(problems).to.deep.equal([]);
  });
});
