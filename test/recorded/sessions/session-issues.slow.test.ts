import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import type { Database } from "../../../db/open.ts";
import { deleteOrganizationByKey } from "../../../server/admin/deletion/deletion.ts";
import { linkIssuesToArrivedSessions, linkIssuesToAwaitedSessions } from "../../../server/jobs/mentions/arrived.ts";
import {
  findIssueIdentifiers,
  findIssueIdentifiersInEvent,
  MARK_SESSION_READ_SQL,
  processNewEvents,
} from "../../../server/jobs/mentions/new-events.ts";
import { removeOldSessions } from "../../../server/jobs/retention/retention.ts";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { callRestApi, createOrganization, startServer, startSharedServer } from "../../support/server.ts";
import { createAgent } from "../../support/tracker/work.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const database = async () => (await startSharedServer()).runtime.db;
const send = async (space: Workspace, path: string, body: object) =>
  callRestApi(space.url, "POST", `/api/v1/${path}`, { body, headers: { "x-api-key": space.ingestKey } });

/** Records events of a session: a text becomes a prompt, a pair a tool call with its result. */
async function record(space: Workspace, session_id: string, events: (string | [args: string, result: string])[]) {
  const rows = events.map((event) => {
    const [args, result] = typeof event === "string" ? [event, "Done."] : event;
    const primitive_type = typeof event === "string" ? "agent" : "tool";
    return { event_id: randomUUID(), session_id, primitive_name: "Bash", primitive_type, args, result };
  });
  const { status } = await send(space, "capture-events", { events: rows });
  expect(status).to.be.lessThan(300);
}

/** Reads the issues of a session with the kinds of links, by identifier. */
async function issuesOf(space: Workspace, id: string): Promise<Record<string, string[]>> {
  const query = `query ($id: String!) { recordedSession(id: $id) { issues { nodes { identifier } }
    issueLinks { nodes { kinds issue { identifier } session { id } } } } }`;
  const { issues, issueLinks } = (await space.gql(query, { id })).recordedSession;
  const links = issueLinks.nodes.map((link: any) => [link.issue.identifier, link.kinds]);
  expect(issues.nodes.map((issue: any) => issue.identifier).sort()).to.deep.equal(
    links.map(([name]: any) => name).sort(),
  );
  return Object.fromEntries(links);
}

/** Reads the linked sessions of an issue. */
async function sessionsOf(space: Workspace, id: string): Promise<any[]> {
  const query = `query ($id: String!) { issue(id: $id) { sessions { nodes { id startedAt totals { cost failures } brief { endedAt } } }
    sessionLinks { nodes { kinds session { id } } } } }`;
  const { sessions, sessionLinks } = (await space.gql(query, { id })).issue;
  const ids = sessions.nodes.map((node: any) => node.id).sort();
  expect(sessionLinks.nodes.map(({ session }: any) => session.id).sort()).to.deep.equal(ids);
  return sessions.nodes;
}

describe("sessions and issues", () => {
  it("are linked by a claim, before and after anything of the session is recorded", async () => {
    const [space, db] = [await createWorkspace(), await database()];
    const agent = await createAgent(space);
    const [known, unknown] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 2; n += 1) await space.issue();
    await record(space, known, ["Work."]);
    await agent.claim({ id: "ENG-1", sessionId: known });
    expect(await issuesOf(space, known)).to.deep.equal({ "ENG-1": ["claimed"] });
    await agent.claim({ id: "ENG-2", sessionId: unknown });
    expect(await sessionsOf(space, "ENG-2")).to.deep.equal([]);
    await linkIssuesToArrivedSessions(db);
    await record(space, unknown, ["Work."]);
    await linkIssuesToArrivedSessions(db);
    expect(await issuesOf(space, unknown)).to.deep.equal({ "ENG-2": ["claimed"] });
    await linkIssuesToAwaitedSessions(db, Date.now() + 31 * DAY_MS);
    expect(await issuesOf(space, unknown)).to.deep.equal({ "ENG-2": ["claimed"] });
  });

  it("are linked soon after the first event of an awaited session, by a job", async () => {
    const app = await startServer({ JOBS: "on" });
    const [space, session] = [await createWorkspaceIn(await createOrganization(app)), randomUUID()];
    await space.issue({ sessionId: session });
    await record(space, session, ["Work."]);
    const begun = performance.now();
    while (Object.keys(await issuesOf(space, session)).length === 0) {
      expect(performance.now() - begun, "ms that the link took").to.be.lessThan(60_000);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await app.close();
  }).timeout(90_000);

  it("are linked when an issue is filed from a session, also in a batch", async () => {
    const space = await createWorkspace();
    const session = randomUUID();
    await record(space, session, ["Work."]);
    await space.issue({ sessionId: session });
    const issues = [{ teamId: space.teamId, title: "Two", sessionId: session }];
    await space.does("issueBatchCreate", { input: { issues } });
    expect(await issuesOf(space, session)).to.deep.equal({ "ENG-2": ["filed"], "ENG-1": ["filed"] });
    const [shown] = await sessionsOf(space, "ENG-1");
    expect(shown).to.deep.include({ id: session, totals: { cost: null, failures: 0 } });
  });

  it("are linked for all awaited reasons at once when a claim finds the session", async () => {
    const space = await createWorkspace();
    const session = randomUUID();
    const { id } = await space.issue({ sessionId: session });
    await space.issue({ sessionId: session });
    await record(space, session, ["Work."]);
    await (await createAgent(space)).claim({ id, sessionId: session.toUpperCase() });
    expect(await issuesOf(space, session)).to.deep.equal({ "ENG-1": ["claimed", "filed"] });
    await linkIssuesToArrivedSessions(await database());
    expect(await issuesOf(space, session)).to.deep.equal({ "ENG-2": ["filed"], "ENG-1": ["claimed", "filed"] });
  });

  it("are linked by an identifier in a prompt, branch or commit, including former identifiers", async () => {
    const [space, db] = [await createWorkspace(), await database()];
    const other = await createWorkspaceIn(space, "OPS");
    for (let n = 0; n < 7; n += 1) await space.issue();
    await space.does("issueUpdate", { id: "ENG-5", input: { teamId: other.teamId } });
    const session = randomUUID();
    await send(space, "capture-session", {
      session_id: session,
      user_data: { user_id: "u" },
      metadata: { git: { branch: "feature/eng-7-later" } },
    });
    await record(space, session, [
      "Do ENG-1, and what was (eng-5). Not XENG-2, ENG-2x, ENG-99 nor UTF-8.",
      ['{"command":"git checkout -b eng-3-fix-login"}', ""],
      ['{"command":"git commit -m \\"Round once (ENG-4)\\""}', "[eng-3-fix-login 1a2b3c4] Round once"],
      ['{"command":"git log"}', "ENG-2 was done"],
      ['{"file":"docs/ENG-2.md"}', "about ENG-6"],
    ]);
    await processNewEvents(db);
    const mentioned = ["mentioned"];
    const all = { "OPS-1": mentioned, "ENG-1": mentioned, "ENG-3": mentioned, "ENG-4": mentioned, "ENG-7": mentioned };
    expect(await issuesOf(space, session)).to.deep.equal(all);
    expect(await sessionsOf(space, "ENG-1")).to.have.length(1);
    expect(await sessionsOf(space, "ENG-2")).to.deep.equal([]);
    // The next pass finds later events; earlier links stay.
    await record(space, session, ["And ENG-6."]);
    await processNewEvents(db);
    expect(await issuesOf(space, session)).to.deep.equal({ ...all, "ENG-6": mentioned });
    await (await createAgent(space)).claim({ id: "ENG-1", sessionId: session });
    expect((await issuesOf(space, session))["ENG-1"]).to.deep.equal(["claimed", "mentioned"]);
  });

  it("are linked in old data, and each pass continues where the last one stopped", async () => {
    const [space, db] = [await createWorkspace(), await database()];
    await space.issue();
    const session = randomUUID();
    await record(space, session, ["Do ENG-1."]);
    const { organizationId } = space;
    await processNewEvents(db);
    await db.query({ text: `delete from "issueSession" where "organizationId" = $1`, values: [organizationId] });
    // The mark that a restore sets.
    await db.query({
      text: `update recorded_session set unread_from = '-infinity' where organization_id = $1`,
      values: [organizationId],
    });
    await processNewEvents(db);
    expect(await issuesOf(space, session)).to.deep.equal({ "ENG-1": ["mentioned"] });
    // A searched session is not searched again.
    await db.query({ text: `delete from "issueSession" where "organizationId" = $1`, values: [organizationId] });
    await processNewEvents(db);
    expect(await issuesOf(space, session)).to.deep.equal({});
    // A session of hundreds of events is searched to the end.
    await record(space, session, [...Array.from({ length: 250 }, () => "Go on."), "Done with ENG-1."]);
    await processNewEvents(db);
    expect(await issuesOf(space, session)).to.deep.equal({ "ENG-1": ["mentioned"] });
  });

  it("are linked by events that arrive and are rolled up just before the session is marked as searched", async () => {
    const [space, db, session] = [await createWorkspace(), await database(), randomUUID()];
    for (let n = 0; n < 2; n += 1) await space.issue();
    await record(space, session, ["Do ENG-1."]);
    let came = false;
    const query: Database["query"] = async (statement) => {
      if (statement.text === MARK_SESSION_READ_SQL && statement.values?.[1] === session && !came) {
        came = true;
        await record(space, session, ["And ENG-2."]);
        await rollUpTotals(db);
      }
      return db.query(statement);
    };
    await processNewEvents({ ...db, query });
    await processNewEvents(db);
    expect(await issuesOf(space, session)).to.deep.equal({ "ENG-1": ["mentioned"], "ENG-2": ["mentioned"] });
  });

  it("have at most a hundred links per session from mentions", async () => {
    const [space, db] = [await createWorkspace(), await database()];
    for (let n = 0; n < 3; n += 1) {
      const issues = Array.from({ length: 50 }, () => ({ teamId: space.teamId, title: "One of many" }));
      await space.does("issueBatchCreate", { input: { issues } });
    }
    const session = randomUUID();
    await record(space, session, [Array.from({ length: 150 }, (_, n) => `ENG-${n + 1}`).join(" ")]);
    for (let n = 0; n < 2; n += 1) await processNewEvents(db);
    const count = `select count(*)::int as n from "issueSession" where "organizationId" = $1`;
    expect(await db.query({ text: count, values: [space.organizationId] })).to.deep.equal([{ n: 100 }]);
  });

  it("of different organizations are not linked by equal identifiers or session ids", async () => {
    const [own, foreign, db] = [await createWorkspace(), await createWorkspace(), await database()];
    const session = randomUUID();
    await own.issue();
    await foreign.issue({ sessionId: session });
    await record(own, session, ["Do ENG-1."]);
    await processNewEvents(db);
    await linkIssuesToArrivedSessions(db);
    expect(await issuesOf(own, session)).to.deep.equal({ "ENG-1": ["mentioned"] });
    expect(await sessionsOf(foreign, "ENG-1")).to.deep.equal([]);
    await record(foreign, session, ["Nothing."]);
    await processNewEvents(db);
    await linkIssuesToArrivedSessions(db);
    expect(await issuesOf(foreign, session)).to.deep.equal({ "ENG-1": ["filed"] });
    expect(await issuesOf(own, session)).to.deep.equal({ "ENG-1": ["mentioned"] });
  });

  it("lose their link when retention deletes the session, or the issue or organization is purged", async () => {
    const [space, db] = [await createWorkspace(), await database()];
    const { organizationId } = space;
    const left = async (table: string, tenant = "organizationId") =>
      (await db.query({ text: `select 1 from "${table}" where "${tenant}" = $1`, values: [organizationId] })).length;
    const [old, kept] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 2; n += 1) await space.issue({ sessionId: n ? kept : "awaited" });
    for (const session of [old, kept]) await record(space, session, ["ENG-1 and ENG-2"]);
    await linkIssuesToArrivedSessions(db);
    await processNewEvents(db);
    expect([await left("issueSession"), await left("awaitedSession")]).to.deep.equal([4, 1]);
    const past = new Date(Date.now() - 9 * DAY_MS);
    for (const [table, column] of [
      ["recorded_session", "last_received_at"],
      ["recorded_session", "timestamp"],
      ["recorded_event", "received_at"],
    ]) {
      const text = `update ${table} set ${column} = $3 where organization_id = $1 and session_id = $2`;
      await db.query({ text, values: [organizationId, old, past] });
    }
    await removeOldSessions(db, 8);
    expect(await left("issueSession"), "open issues keep their sessions").to.equal(4);
    for (const id of ["ENG-1", "ENG-2"]) await space.does("issueComplete", { id });
    await removeOldSessions(db, 8);
    expect(await left("issueSession")).to.equal(2);
    await space.does("issueDelete", { id: "ENG-1", permanentlyDelete: true });
    expect([await left("issueSession"), await left("awaitedSession")]).to.deep.equal([1, 0]);
    await deleteOrganizationByKey(db, space.urlKey, { repeated: space.urlKey });
    expect(await left("issueSession")).to.equal(0);
  });
});

describe("issue identifiers in text", () => {
  const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,6}$/);
  const around = fc.constantFrom("", " ", "/", "(", ")", ".", ",", ": ", "\n", "#", "'", '"');

  it("are found as separate words, in any case, once each (property)", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat(999_999_999), around), { maxLength: 20 }), (all) => {
        const text = all.map(([name, number, end]) => ` ${name}-${number}${end}`).join(" ");
        const wanted = new Set(all.map(([name, number]) => `${name.toUpperCase()}-${number}`));
        expect(findIssueIdentifiers([text, text])).to.deep.equal([...wanted]);
      }),
    );
  });

  it("are not found inside words and longer numbers (property)", () => {
    fc.assert(
      fc.property(key, fc.nat(999), fc.constantFrom("a", "Z", "0", "_"), (name, number, letter) => {
        expect(
          findIssueIdentifiers([`${letter}_${name}-${number}`, `${name}-${number}${letter.replace("_", "x")}y`]),
        ).to.deep.equal([]);
      }),
    );
  });

  it("are found in a megabyte of any text without delay", () => {
    const started = performance.now();
    for (const part of ['"branch', "a-", "git ", '"branch":"\\', "A-1", "\\\\"]) {
      const args = part.repeat(Math.ceil(1e6 / part.length));
      findIssueIdentifiersInEvent({ kind: "tool", args, result: args, metadata: args });
    }
    expect(performance.now() - started).to.be.lessThan(20_000);
  });
});
