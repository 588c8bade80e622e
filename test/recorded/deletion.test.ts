import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { knex } from "../../db/builder.ts";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { removeDeletedRecordings } from "../../server/jobs/deletion.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { entityModel } from "../../server/resources/index.ts";
import { deleteSessions } from "../../server/resources/recorded/deletion/sessions.ts";
import { createSystemScope } from "../../server/scope.ts";
import { runMutationTransaction } from "../../server/write/mutate.ts";
import { findTablesWith } from "../support/db/tables-with.ts";
import { createMarker, event, removeSessions, session } from "../support/recording/deletions.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { createRecordings, sendRecording } from "../support/recording/recordings.ts";
import { startSharedServer, type Tenant } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** Lists every session of a tenant. */
async function sessionsOf({ gql }: Pick<Tenant, "gql">): Promise<string[]> {
  const { recordedSessions } = await gql("{ recordedSessions(first: 100) { nodes { id } } }");
  return recordedSessions.nodes.map(({ id }: { id: string }) => id);
}

async function deleteAll(space: Workspace): Promise<void> {
  for (const id of await sessionsOf(space)) {
    expect(await removeSessions(space, "recordedSessionDelete", id)).to.include({ success: true, complete: true });
  }
}

/** Runs the maintenance jobs. */
async function upkeep(): Promise<void> {
  const { runtime } = await startSharedServer();
  await processNewEvents(runtime.db);
  await updateHourAndGroupCounts(runtime);
  await removeDeletedRecordings(runtime);
}

describe("deleting recorded data", () => {
  it("leaves no data of any interface, and refuses and discards late reports", async () => {
    const space = await createWorkspace();
    const [first, mark, run] = [createMarker(), createMarker(), randomUUID()];
    for (const each of createRecordings(first, run))
      expect((await sendRecording(space, each)).status, each.path).to.be.within(200, 204);
    await upkeep();
    expect(await findTablesWith(first)).to.include.members([
      "recorded_event",
      "recorded_observation",
      "recorded_tool_day",
    ]);
    await deleteAll(space);
    expect(await findTablesWith(first)).to.deep.equal([]);
    const answers: Record<string, unknown> = {};
    for (const each of createRecordings(mark, run)) {
      const { status, body } = await sendRecording(space, each);
      answers[each.path] = [status, body.code ?? body.rejected ?? (body.partialSuccess as any)?.errorMessage ?? ""];
    }
    expect(answers["/api/v1/capture-session"]).to.deep.equal([410, "recording_deleted"]);
    expect(answers["/api/v1/capture-event"]).to.deep.equal([410, "recording_deleted"]);
    expect(answers["/api/v1/capture-events"]).to.deep.equal([202, 2]);
    expect(answers["/api/v1/hooks/claude-code"]).to.deep.equal([204, ""]);
    expect(String(answers["/v1/traces"])).to.match(/200,1 not kept: belongs to a session or user that was deleted/);
    expect([await findTablesWith(mark), await sessionsOf(space)]).to.deep.equal([[], []]);
  });

  it("records in the change log that a session was deleted, without its content", async () => {
    const space = await createWorkspace();
    const mark = createMarker();
    const [one, other] = [session(`u-${mark}`, { metadata: { mark } }), session("u-2")];
    for (const each of [one, other]) await sendRecording(space, each);
    const before = await space.last();
    const id = one.body.session_id;
    const { lastSyncId } = await removeSessions(space, "recordedSessionDelete", id);
    const [entry, ...more] = await space.log(before);
    expect(more).to.deep.equal([]);
    expect(entry).to.deep.include({ lastSyncId, action: "remove", event: "recordedSession.deleted", entityId: id });
    expect(entry).to.deep.include({ type: "RecordedSession", data: { id }, updatedFrom: null });
    expect([await findTablesWith(mark), await sessionsOf(space)]).to.deep.equal([[], [other.body.session_id]]);
    expect((await space.refuses("recordedSessionDelete", { id })).code).to.equal("NOT_FOUND");
  });

  it("deletes a user with all sessions, and refuses the user's new sessions and their events", async () => {
    const space = await createWorkspace();
    const mark = createMarker();
    const kept = session("u-kept");
    const all = [kept, ...Array.from({ length: 3 }, () => session(`u-${mark}`))];
    for (const each of all) {
      await sendRecording(space, each);
      await sendRecording(space, event(each.body.session_id, each === kept ? "kept" : mark));
    }
    const before = await space.last();
    expect(await removeSessions(space, "recordedUserDelete", `u-${mark}`)).to.include({ complete: true });
    expect([await findTablesWith(mark), await sessionsOf(space)]).to.deep.equal([[], [kept.body.session_id]]);
    expect((await space.log(before)).map(({ event: name }) => name)).to.deep.equal([
      "recordedUser.deleted",
      ...Array.from({ length: 3 }, () => "recordedSession.deleted"),
    ]);
    const late = session(`u-${mark}`);
    expect((await sendRecording(space, late)).status).to.equal(410);
    expect((await sendRecording(space, event(late.body.session_id, mark))).status).to.equal(410);
    expect([await findTablesWith(mark), await sessionsOf(space)]).to.deep.equal([[], [kept.body.session_id]]);
  });

  it("deletes events that arrived before the session named its deleted user", async () => {
    const space = await createWorkspace();
    const mark = createMarker();
    await sendRecording(space, session(`u-${mark}`));
    await removeSessions(space, "recordedUserDelete", `u-${mark}`);
    const late = session(`u-${mark}`);
    expect((await sendRecording(space, event(late.body.session_id, mark))).status).to.equal(200);
    expect(await findTablesWith(mark)).to.deep.equal(["recorded_event"]);
    expect((await sendRecording(space, late)).status).to.equal(410);
    await upkeep();
    expect([await findTablesWith(mark), await sessionsOf(space)]).to.deep.equal([[], []]);
  });

  it("resumes when a server was killed between the commit and the last row", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    const mark = createMarker();
    const one = session(`u-${mark}`);
    await sendRecording(space, one);
    await sendRecording(space, event(one.body.session_id, mark));
    const scope = createSystemScope(runtime, space.organizationId);
    await runMutationTransaction(scope, entityModel, async (write) => {
      await deleteSessions(write, knex.raw("session_id = ?", [one.body.session_id]), null);
      return {};
    });
    expect([await findTablesWith(mark), await sessionsOf(space)]).to.deep.equal([["recorded_event"], []]);
    await upkeep();
    expect(await findTablesWith(mark)).to.deep.equal([]);
  });

  it("keeps the text of filed issues, names who deleted the session, and removes the quotation", async () => {
    const space = await createWorkspace();
    const mark = createMarker();
    const [one, kept] = [createEvent({}), createEvent({})];
    for (const each of [one, kept]) {
      const failed = { ...each, primitive_type: "tool", primitive_name: "Read", success: false };
      const text = each === one ? mark : "Error: other";
      const body = { ...failed, args: text, result: text };
      await sendRecording(space, { path: "/api/v1/capture-event", body });
    }
    const input = { eventId: one.event_id, teamId: space.teamId };
    const { issue } = await space.does("issueCreateFromFailure", { input }, "issue { id description }");
    await space.does("issueUpdate", { id: issue.id, input: { description: `My own words\n\n${issue.description}` } });
    await removeSessions(space, "recordedSessionDelete", one.session_id);
    expect(await findTablesWith(mark)).to.have.members(["change", "issue", "issueText"]);
    const read = `query ($id: String!) { viewer { id } issue(id: $id) { title description
      deletedSessions { nodes { id createdAt blankedAt deletedBy { id } } } } }`;
    const { viewer, issue: before } = await space.gql(read, { id: issue.id });
    const [deleted] = before.deletedSessions.nodes;
    expect(deleted).to.deep.include({ blankedAt: null, deletedBy: { id: viewer.id } });
    await space.does("issueDeletedSessionBlank", { id: deleted.id });
    const { issue: after } = await space.gql(read, { id: issue.id });
    expect(await findTablesWith(mark)).to.deep.equal([]);
    expect(after.title).to.equal("Read: [deleted with its session]");
    expect(after.description).to.match(/^My own words\n/);
    expect(after.deletedSessions.nodes[0].blankedAt).to.be.a("string");
    expect(await sessionsOf(space)).to.deep.equal([kept.session_id]);
  });
});
