import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Locator } from "playwright-core";
import { inviteGuest } from "../../support/members.ts";
import { createEvent } from "../../support/recording/ingest.ts";
import { sendRecording } from "../../support/recording/recordings.ts";
import { createOrganization } from "../../support/server.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspaceIn } from "../../support/workspace.ts";

/** Presses an element as a hand does: moves to the element, presses, and releases after a moment. */
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

describe("deletion and retention in the web app", () => {
  const { open } = setUpBrowserTests();

  it("deletes a session, closes it on another open page, and blanks its quotation in the issue", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const failed = createEvent({
      primitive_name: "Bash",
      primitive_type: "tool",
      success: false,
      result: "Error: it broke",
    });
    await sendRecording(space, { path: "/api/v1/capture-event", body: failed });
    const input = { eventId: failed.event_id, teamId: space.teamId };
    const { issue } = await space.does("issueCreateFromFailure", { input }, "issue { identifier description }");
    const again = createEvent({ ...failed, event_id: randomUUID(), result: "Error: something else" });
    await sendRecording(space, { path: "/api/v1/capture-event", body: again });
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
    await one.page.getByRole("dialog").getByRole("button", { name: "Delete permanently" }).click();
    await one.page.getByText("Session deleted.").waitFor();
    expect(new URL(one.page.url()).pathname).to.equal("/sessions");
    await other.page.getByText("Session not found").waitFor();
    const shown = await open(`/${space.urlKey}/issue/${issue.identifier}`, space);
    await shown.page.getByText(/A session was deleted by/).waitFor();
    await other.page.goto(`${space.url}/settings/retention`);
    await other.page.getByRole("link", { name: new RegExp(`^${second.identifier} Bash`) }).waitFor();
    await press(other.page.getByRole("button", { name: `Remove the quotation in ${second.identifier}` }));
    await other.page.getByText("quotation removed").waitFor();
    expect((await space.read(second.identifier)).description).not.to.contain("something else");
    await shown.page.getByRole("button", { name: "Remove the quotation" }).click();
    await shown.page.getByText("quotation removed").waitFor();
    await shown.page.getByText("[deleted with its session]").first().waitFor();
    expect((await space.read(issue.identifier)).description).not.to.contain("it broke");
    expect([...one.problems, ...shown.problems]).to.deep.equal([]);
  });

  it("puts a session on hold with a reason and releases it, by pointer and by keyboard", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const event = createEvent({ args: "Plan the week" });
    await sendRecording(space, { path: "/api/v1/capture-event", body: event });
    const { page, problems } = await open(`/sessions/${event.session_id}`, space);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await press(button("More"));
    await press(page.getByRole("button", { name: "Hold…" }));
    await page.getByLabel("Reason").fill("Evidence of ENG-1");
    await press(button("Hold"));
    await page.getByText("Session held.").waitFor();
    await page.getByText("Evidence of ENG-1").waitFor();
    const held = `{ recordedSession(id: "${event.session_id}") { holdReason heldBy { name } } }`;
    const { recordedSession } = await space.gql(held);
    expect(recordedSession).to.deep.equal({ holdReason: "Evidence of ENG-1", heldBy: { name: space.name } });
    await button("More").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Release…" }).focus();
    await page.keyboard.press("Enter");
    await button("Release").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Session released.").waitFor();
    await page.getByText("Evidence of ENG-1").waitFor({ state: "detached" });
    expect((await space.gql(held)).recordedSession.holdReason).to.equal(null);
    await button("Undo").last().focus();
    await page.keyboard.press("Enter");
    await page.getByText("Evidence of ENG-1").waitFor();
    expect((await space.gql(held)).recordedSession.holdReason).to.equal("Evidence of ENG-1");
    expect(problems).to.deep.equal([]);
  });

  it("exports everything recorded about a user, and deletes the user with all sessions, for owners only", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    const ids = [randomUUID(), randomUUID()];
    for (const session_id of ids) {
      const body = { session_id, user_data: { user_id: "jo@example.com", plan: "pro" } };
      await sendRecording(space, { path: "/api/v1/capture-session", body });
      await sendRecording(space, { path: "/api/v1/capture-event", body: createEvent({ session_id }) });
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
    await button("Delete permanently").waitFor({ state: "detached" });
    await press(button("Delete"));
    await press(button("Delete permanently"));
    await page.getByText("User deleted.").waitFor();
    await page.waitForURL((at) => at.pathname === "/users");
    expect((await space.gql("{ recordedSessions { nodes { id } } }")).recordedSessions.nodes).to.deep.equal([]);
    const member = await inviteGuest(space);
    await sendRecording(space, {
      path: "/api/v1/capture-session",
      body: { session_id: randomUUID(), user_data: { user_id: "al" } },
    });
    const other = await open("/users/al", member);
    await other.page.getByText("No traits.").waitFor();
    const shown = ["Export", "Delete"].map((name) => other.page.getByRole("button", { name, exact: true }).count());
    expect(await Promise.all(shown)).to.deep.equal([0, 0]);
    expect([...problems, ...other.problems]).to.deep.equal([]);
  });

  it("saves the retention days, and lists sessions scheduled for deletion", async () => {
    const space = await createWorkspaceIn(await createOrganization());
    await sendRecording(space, { path: "/api/v1/capture-event", body: createEvent({ args: "Plan the week" }) });
    const { page, problems } = await open("/settings/retention", space);
    await page.getByText("No sessions.").waitFor();
    await page.getByLabel("Days to keep event content").fill("3");
    await page.getByLabel("Days to keep sessions").fill("90");
    await page.getByLabel("Different retention for some agents").fill("claude code texts=7\nowl sessions=30 texts=2");
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
    await page.getByText(/^content on /).waitFor();

    expect(problems).to.deep.equal([]);
  });
});
