import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Locator } from "playwright-core";
import { joined } from "../../support/members.ts";
import { anEvent } from "../../support/recording/ingest.ts";
import { record } from "../../support/recording/recordings.ts";
import { freshOrganization } from "../../support/server.ts";
import { inBrowser } from "../../support/web/web.ts";
import { workspaceOf } from "../../support/workspace.ts";

/** Presses something as a hand does: moves there, presses, and lets go after a moment. */
async function press(target: Locator): Promise<void> {
  await target.waitFor();
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  const { mouse } = target.page();
  if (!box) throw new Error("it has no place on the page");
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down();
  await target.page().waitForTimeout(80);
  await mouse.up();
}

describe("deletion and retention in the web app", function () {
  this.timeout(180_000);
  const { open } = inBrowser();

  it("deletes a session, ends another open page of it, and blanks the issue's quotation", async () => {
    const space = await workspaceOf(await freshOrganization());
    const failed = anEvent({
      primitive_name: "Bash",
      primitive_type: "tool",
      success: false,
      result: "Error: it broke",
    });
    await record(space, { path: "/api/v1/capture-event", body: failed });
    const input = { eventId: failed.event_id, teamId: space.teamId };
    const { issue } = await space.does("issueCreateFromFailure", { input }, "issue { identifier description }");
    const again = anEvent({ ...failed, event_id: randomUUID(), result: "Error: something else" });
    await record(space, { path: "/api/v1/capture-event", body: again });
    const { issue: second } = await space.does(
      "issueCreateFromFailure",
      { input: { eventId: again.event_id, teamId: space.teamId } },
      "issue { identifier }",
    );
    const path = `/sessions/${failed.session_id}`;
    const [one, other] = [await open(path, space), await open(path, space)];
    await other.page.getByRole("button", { name: "More", exact: true }).waitFor();
    await one.page.getByRole("button", { name: "More", exact: true }).click();
    await one.page.getByRole("button", { name: "Delete…" }).click();
    await one.page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
    await one.page.getByText("The session is deleted.").waitFor();
    expect(new URL(one.page.url()).pathname).to.equal("/sessions");
    await other.page.getByText("This session is not here").waitFor();
    const shown = await open(`/${space.urlKey}/issue/${issue.identifier}`, space);
    await shown.page.getByText(/A session was deleted by/).waitFor();
    await other.page.goto(`${space.url}/settings/retention`);
    await other.page.getByRole("link", { name: new RegExp(`^${second.identifier} Bash`) }).waitFor();
    await press(other.page.getByRole("button", { name: `Blank the quotation in ${second.identifier}` }));
    await other.page.getByText("quotation blanked").waitFor();
    expect((await space.read(second.identifier)).description).not.to.contain("something else");
    await shown.page.getByRole("button", { name: "Blank the quotation" }).click();
    await shown.page.getByText("quotation blanked").waitFor();
    await shown.page.getByText("[deleted with its session]").first().waitFor();
    expect((await space.read(issue.identifier)).description).not.to.contain("it broke");
    expect([...one.problems, ...shown.problems]).to.deep.equal([]);
  });

  it("holds a session for a reason and releases it, by pointer and by keyboard", async () => {
    const space = await workspaceOf(await freshOrganization());
    const event = anEvent({ args: "Plan the week" });
    await record(space, { path: "/api/v1/capture-event", body: event });
    const { page, problems } = await open(`/sessions/${event.session_id}`, space);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await press(button("More"));
    await press(page.getByRole("button", { name: "Hold…" }));
    await page.getByLabel("Reason").fill("Evidence of ENG-1");
    await press(button("Hold it"));
    await page.getByText("The session is held.").waitFor();
    await page.getByText("Evidence of ENG-1").waitFor();
    const held = `{ recordedSession(id: "${event.session_id}") { holdReason heldBy { name } } }`;
    const { recordedSession } = await space.gql(held);
    expect(recordedSession).to.deep.equal({ holdReason: "Evidence of ENG-1", heldBy: { name: space.name } });
    await button("More").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Release…" }).focus();
    await page.keyboard.press("Enter");
    await button("Release it").focus();
    await page.keyboard.press("Enter");
    await page.getByText("The session is released.").waitFor();
    await page.getByText("Evidence of ENG-1").waitFor({ state: "detached" });
    expect((await space.gql(held)).recordedSession.holdReason).to.equal(null);
    await button("Undo").last().focus();
    await page.keyboard.press("Enter");
    await page.getByText("Evidence of ENG-1").waitFor();
    expect((await space.gql(held)).recordedSession.holdReason).to.equal("Evidence of ENG-1");
    expect(problems).to.deep.equal([]);
  });

  it("saves all that is held of a user, and deletes the user with all sessions, for owners alone", async () => {
    const space = await workspaceOf(await freshOrganization());
    const ids = [randomUUID(), randomUUID()];
    for (const session_id of ids) {
      const body = { session_id, user_data: { user_id: "jo@example.com", plan: "pro" } };
      await record(space, { path: "/api/v1/capture-session", body });
      await record(space, { path: "/api/v1/capture-event", body: anEvent({ session_id }) });
    }
    const path = `/users/${encodeURIComponent("jo@example.com")}`;
    const { page, problems } = await open(path, space);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const [file] = await Promise.all([page.waitForEvent("download"), press(button("Export"))]);
    expect(file.suggestedFilename()).to.equal("user-jo@example.com.jsonl");
    const lines = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\n");
    const types = lines.map((line) => JSON.parse(line).type);
    expect(types).to.deep.equal(["user", "session", "event", "session", "event"]);
    await press(button("Delete"));
    await page.keyboard.press("Escape");
    await button("Delete for good").waitFor({ state: "detached" });
    await press(button("Delete"));
    await press(button("Delete for good"));
    await page.getByText("The user is deleted.").waitFor();
    await page.waitForURL((at) => at.pathname === "/users");
    expect((await space.gql("{ recordedSessions { nodes { id } } }")).recordedSessions.nodes).to.deep.equal([]);
    const member = await joined(space);
    await record(space, {
      path: "/api/v1/capture-session",
      body: { session_id: randomUUID(), user_data: { user_id: "al" } },
    });
    const other = await open("/users/al", member);
    await other.page.getByText("None were sent.").waitFor();
    const shown = ["Export", "Delete"].map((name) => other.page.getByRole("button", { name, exact: true }).count());
    expect(await Promise.all(shown)).to.deep.equal([0, 0]);
    expect([...problems, ...other.problems]).to.deep.equal([]);
  });

  it("keeps the days of retention, and lists what goes soon", async () => {
    const space = await workspaceOf(await freshOrganization());
    await record(space, { path: "/api/v1/capture-event", body: anEvent({ args: "Plan the week" }) });
    const { page, problems } = await open("/settings/retention", space);
    await page.getByText("Nothing.").waitFor();
    await page.getByLabel("Days for texts").fill("3");
    await page.getByLabel("Days for sessions").fill("90");
    await page.getByLabel("Other days for agents").fill("claude code texts=7\nowl sessions=30 texts=2");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const rules = "{ organization { retentionTextDays retentionSessionDays retentionAgents } }";
    expect((await space.gql(rules)).organization).to.deep.equal({
      retentionTextDays: 3,
      retentionSessionDays: 90,
      retentionAgents: [
        { agent: "claude code", textDays: 7 },
        { agent: "owl", textDays: 2, sessionDays: 30 },
      ],
    });
    await page.getByText("Plan the week").waitFor();
    await page.getByText(/^texts on /).waitFor();

    expect(problems).to.deep.equal([]);
  });
});
