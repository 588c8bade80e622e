import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { clearOldSessionTexts, removeOldSessions } from "../../server/jobs/retention/retention.ts";
import { findTablesWith } from "../support/db/tables-with.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { postHook, readHookFixture } from "../support/recording/observed-sessions.ts";
import { sendRecording } from "../support/recording/recordings.ts";
import { startSharedServer, waitUntilFolded } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const DAY_MS = 86_400_000;

/** Records a session of an agent that has been silent for `days` days. */
async function silent(space: Workspace, days: number, { agent = "fox", text = "text" } = {}): Promise<string> {
  const turn = createEvent({ primitive_name: agent, args: text, result: text });
  const call = createEvent({
    ...{ session_id: turn.session_id, parent_id: turn.event_id, primitive_name: "Read", primitive_type: "tool" },
    ...{ args: text, result: `Error: it broke`, success: false, metadata: { text, "gen_ai.usage.cost": 0.5 } },
  });
  await sendRecording(space, { path: "/api/v1/capture-events", body: { events: [turn, call] } });
  const session = { session_id: turn.session_id, user_data: { user_id: "u-1" }, metadata: { text } };
  await sendRecording(space, { path: "/api/v1/capture-session", body: session });
  await age(space, turn.session_id, days);
  return turn.session_id;
}

async function age({ organizationId }: Workspace, session: string, days: number): Promise<void> {
  const { db, projector } = (await startSharedServer()).runtime;
  await waitUntilFolded({ projector }, organizationId);
  const past = new Date(Date.now() - days * DAY_MS);
  const columns = {
    recorded_session: ["last_received_at", "received_at", "timestamp"],
    recorded_event: ["received_at"],
  };
  for (const [table, names] of Object.entries(columns)) {
    const text = `update ${table} set ${names.map((name) => `${name} = $3`)} where organization_id = $1 and session_id = $2`;
    await db.query({ text, values: [organizationId, session, past] });
  }
}

const keep = (space: Workspace, input: object) => space.does("organizationUpdate", { input });
const left = async ({ gql }: Workspace): Promise<string[]> =>
  (await gql("{ recordedSessions { nodes { id } } }")).recordedSessions.nodes.map(({ id }: { id: string }) => id);
const expiring = async ({ gql }: Workspace): Promise<string[]> =>
  (await gql("{ recordedSessionsExpiring { nodes { id } } }")).recordedSessionsExpiring.nodes.map(
    ({ id }: { id: string }) => id,
  );

/** Runs the retention job; `most` is the server's limit in days. */
async function remove(most = 0): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  await clearOldSessionTexts(db, most);
  await removeOldSessions(db, most);
}

describe("an organization's own retention", () => {
  it("deletes nothing by default", async () => {
    const space = await createWorkspace();
    const id = await silent(space, 9_000);
    await remove();
    expect([await left(space), await expiring(space)]).to.deep.equal([[id], []]);
  });

  it("deletes sessions after its days, with different days per agent, and never later than the server's limit", async () => {
    const space = await createWorkspace();
    await keep(space, { retentionSessionDays: 30, retentionAgents: [{ agent: "owl", sessionDays: 60 }] });
    const [young, , owl] = [
      await silent(space, 29),
      await silent(space, 31),
      await silent(space, 59, { agent: "owl" }),
      await silent(space, 61, { agent: "owl" }),
    ];
    await remove();
    expect(await left(space)).to.have.members([young, owl]);
    await remove(40);
    expect(await left(space)).to.deep.equal([young]);
  });

  it("deletes content first and keeps the outline, counts and failures", async () => {
    const space = await createWorkspace();
    const text = `zq${randomUUID()}`;
    await keep(space, { retentionTextDays: 10, retentionSessionDays: 30 });
    const id = await silent(space, 11, { text });
    const hooked = {
      ...readHookFixture("claude/06-post-tool-use"),
      session_id: randomUUID(),
      tool_response: { stdout: text },
    };
    await postHook(space, "claude-code", hooked);
    await age(space, hooked.session_id, 11);
    const shown = `query ($id: String!) { recordedSession(id: $id) { textsRemovedAt textsExpireAt expiresAt metadata totals { events failures cost }
      events { nodes { primitiveName kind success cost args result errorMessage } } } }`;
    const before = (await space.gql(shown, { id })).recordedSession;
    await remove();
    expect(await findTablesWith(text)).to.deep.equal([]);
    const after = (await space.gql(shown, { id })).recordedSession;
    const emptied = before.events.nodes.map((event: object) => ({ ...event, args: "", result: "" }));
    expect(after).to.deep.include({ metadata: {}, totals: before.totals, textsExpireAt: null });
    expect(after.events.nodes).to.deep.equal(emptied);
    expect(after.textsRemovedAt).to.be.a("string");
    const stored = async () => [after.textsRemovedAt, (await space.gql(shown, { id })).recordedSession.textsRemovedAt];
    await remove();
    expect(new Set(await stored()).size, "once").to.equal(1);
  });

  it("keeps held sessions and sessions linked to an open issue", async () => {
    const space = await createWorkspace();
    await keep(space, { retentionSessionDays: 30, retentionTextDays: 30 });
    const [held, linked] = [await silent(space, 31), await silent(space, 31)];
    const issue = await space.issue({ sessionId: linked });
    await space.does("recordedSessionHold", { id: held, input: { reason: "a review" } }, "recordedSession { id }");
    const { recordedSession } = await space.gql(
      `{ recordedSession(id: "${held}") { holdReason heldBy { id } expiresAt } viewer { id } }`,
    );
    expect(recordedSession).to.deep.include({ holdReason: "a review", expiresAt: null });
    expect(recordedSession.heldBy.id).to.be.a("string");
    await remove(10);
    expect(await left(space)).to.have.members([held, linked]);
    await space.does("recordedSessionRelease", { id: held }, "recordedSession { id }");
    await space.does("issueComplete", { id: issue.id });
    await remove(10);
    expect(await left(space)).to.deep.equal([]);
  });

  it("lists sessions that will be deleted within seven days", async () => {
    const space = await createWorkspace();
    await keep(space, { retentionSessionDays: 30, retentionTextDays: 10 });
    const [texts, all, held] = [await silent(space, 5), await silent(space, 25), await silent(space, 25)];
    await silent(space, 1);
    await space.does("recordedSessionHold", { id: held, input: { reason: "a review" } }, "recordedSession { id }");
    await clearOldSessionTexts((await startSharedServer()).runtime.db, 0);
    await silent(space, 11);
    expect(await expiring(space))
      .to.include.members([texts, all])
      .and.not.to.include(held);
    expect(await expiring(space)).to.have.length(3);
  });

  it("refuses invalid days and agents", async () => {
    const space = await createWorkspace();
    const twice = [{ agent: "fox", textDays: 1 }, { agent: "fox" }];
    for (const input of [{ retentionSessionDays: 0 }, { retentionTextDays: 40_000 }, { retentionAgents: twice }]) {
      expect((await space.refuses("organizationUpdate", { input })).code).to.equal("INVALID_INPUT");
    }
  });
});
