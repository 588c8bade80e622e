import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { revokeCredentials } from "../../server/admin/revoke.ts";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { earlierSql } from "../support/db/database.ts";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, sendGraphQL, startSharedServer } from "../support/server.ts";
import { CLAIM_FIELDS, createAgent, LEASE_FIELDS, moveLeaseTimes, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

describe("a claim of an issue", () => {
  let space: Workspace;
  let agent: TestAgent;
  let another: TestAgent;
  before(async () => {
    space = await createWorkspace();
    [agent, another] = [await createAgent(space, "Ada"), await createAgent(space, "Bob")];
  });
  const lease = async (id: string) => (await space.gql(`{ issue(id: "${id}") { ready ${LEASE_FIELDS} } }`)).issue;

  it("makes an agent the delegate and a person the assignee, and starts the issue", async () => {
    const [one, other] = [await space.issue(), await space.issue()];
    const after = await space.last();
    const { issue, lease: held } = await agent.claim({ id: one.identifier, ttlSeconds: 60, sessionId: "s-1" });
    expect(issue).to.deep.include({ delegate: { id: agent.id }, assignee: null });
    expect(issue.state).to.include({ name: "In Progress" });
    expect(held).to.deep.include({ fence: 1, holder: { id: agent.id, name: "Ada" }, sessionId: "s-1", ttlSeconds: 60 });
    expect(Date.parse(held.expiresAt) - Date.parse(held.grantedAt)).to.equal(60_000);
    const [change] = await space.log(after);
    expect(change).to.deep.include({ event: "issue.claimed" });
    const viewer = (await space.gql("{ viewer { id name } }")).viewer;
    expect(change?.actor).to.deep.include({ id: agent.id, type: "app", name: "Ada", onBehalfOf: viewer });
    expect(change?.data).to.include({ holderId: agent.id, delegateId: agent.id });
    expect(change?.updatedFrom).to.include({ holderId: null });
    const mine = await space.does("issueClaim", { input: { id: other.id } }, CLAIM_FIELDS);
    expect(mine.issue).to.deep.include({ assignee: { id: viewer.id }, delegate: null });
  });

  it("by id returns the same lease to its holder, and names the holder to others", async () => {
    const { id } = await space.issue();
    const first = await agent.claim({ id });
    expect((await agent.claim({ id, ttlSeconds: 90 })).lease).to.deep.equal(first.lease);
    const refusal = await another.refuses("issueClaim", { input: { id } });
    expect(refusal.code).to.equal("CONFLICT");
    expect(refusal.message).to.contain("Ada holds ENG-");
  });

  it("takes over at once with the current fence, and is refused with a stale fence", async () => {
    const { id } = await space.issue();
    const { issue: before } = await another.claim({ id });
    const [after, { id: delegate }] = [await space.last(), before.delegate];
    expect(delegate).to.equal(another.id);
    const { issue, lease } = await agent.claim({ id, fence: 1, sessionId: "s-1" });
    expect(issue).to.deep.include({ delegate: { id: agent.id }, state: before.state });
    expect(lease).to.deep.include({ fence: 2, holder: { id: agent.id, name: "Ada" }, sessionId: "s-1" });
    expect((await space.log(after)).map(({ event }) => event)).to.deep.equal(["issue.released", "issue.claimed"]);
    for (const fence of [1, 3]) {
      const refusal = await another.refuses("issueClaim", { input: { id, fence } });
      expect(refusal.code).to.equal("CONFLICT");
      expect(refusal.message).to.match(/^fence \d is stale: Ada holds ENG-/);
    }
    // The end of the lease reverts the changes of both claims.
    await agent.does("issueRelease", { id, fence: 2 });
    const query = "query ($id: String!) { issue(id: $id) { state { name } delegate { id } } }";
    expect((await space.gql(query, { id })).issue).to.deep.equal({ state: { name: "Backlog" }, delegate: null });
    expect((await another.refuses("issueClaim", { input: { id, fence: 2 } })).message).to.contain("nobody holds ENG-");
    expect((await another.refuses("issueClaim", { input: { filter: {}, fence: 2 } })).code).to.equal("INPUT_ERROR");
  });

  it("by filter takes the best ready issue, each time another, and responds with NOT_FOUND if none is ready", async () => {
    const label = (await space.does("issueLabelCreate", { input: { name: "pool" } }, "issueLabel { id }")).issueLabel
      .id;
    const make = (input: object) => space.issue({ labelIds: [label], ...input });
    const none = await make({});
    const low = await make({ priority: 4 });
    const high = await make({ priority: 2 });
    const unblocking = await make({ priority: 2 });
    const blocked = await make({ priority: 1 });
    await space.does("issueRelationCreate", {
      input: { type: "blocks", issueId: unblocking.id, relatedIssueId: blocked.id },
    });
    const filter = { labels: { some: { id: { eq: label } } }, title: { contains: "An" } };
    const list =
      await space.gql(`{ issues(filter: { ready: { eq: true }, labels: { some: { id: { eq: "${label}" } } } },
      sort: [{ ready: {} }]) { nodes { id } } }`);
    const wanted = [unblocking.id, high.id, low.id, none.id];
    expect(list.issues.nodes.map(({ id }: { id: string }) => id)).to.deep.equal(wanted);
    const taken = [];
    for (const { claim } of [agent, agent, another, agent]) taken.push((await claim({ filter })).issue.id);
    expect(taken).to.deep.equal(wanted);
    expect((await agent.refuses("issueClaim", { input: { filter } })).code).to.equal("NOT_FOUND");
    await agent.does("issueComplete", { id: unblocking.id, fence: 1 });
    expect((await agent.claim({ filter })).issue.id).to.equal(blocked.id);
  });

  it("is refused for blocked or closed issues, and with both or neither of id and filter", async () => {
    const [one, other] = [await space.issue(), await space.issue({ stateId: space.states["Done"] })];
    const blocker = await space.issue();
    await space.does("issueRelationCreate", { input: { type: "blocks", issueId: blocker.id, relatedIssueId: one.id } });
    expect((await agent.refuses("issueClaim", { input: { id: one.id } })).message).to.contain(blocker.identifier);
    expect((await agent.refuses("issueClaim", { input: { id: other.id } })).code).to.equal("CONFLICT");
    for (const input of [{}, { id: one.id, filter: {} }, { id: one.id, ttlSeconds: 59 }])
      expect((await agent.refuses("issueClaim", { input })).code).to.be.oneOf(["INPUT_ERROR", "INVALID_INPUT"]);
  });

  it("is won by one of many simultaneous claims", async () => {
    const issues = await Promise.all(Array.from({ length: 6 }, () => space.issue({ priority: 1 })));
    const agents = await Promise.all(Array.from({ length: 6 }, () => createAgent(space)));
    const ids = issues.map(({ id }) => id);
    const filter = { id: { in: ids } };
    const won = await Promise.all(
      agents.flatMap(({ graphql }) =>
        [1, 2].map(() =>
          graphql(`mutation ($f: IssueFilter) { issueClaim(input: { filter: $f }) { issue { id } } }`, { f: filter }),
        ),
      ),
    );
    const taken = won.flatMap(({ data }) => data?.issueClaim?.issue.id ?? []);
    expect(taken.sort()).to.deep.equal(ids.sort());
  });

  it("control: without issueClaim, reading first and updating then gives an issue to several agents", async () => {
    const { id } = await space.issue();
    const agents = await Promise.all(Array.from({ length: 8 }, () => createAgent(space)));
    const seen = await Promise.all(agents.map((each) => each.graphql(`{ issue(id: "${id}") { delegate { id } } }`)));
    const winners = agents.filter((_, at) => seen[at]?.data.issue.delegate === null);
    await Promise.all(winners.map((each) => each.does("issueUpdate", { id, input: { delegateId: each.id } })));
    expect(winners.length).to.be.greaterThan(1);
  });

  it("returns the same lease for a repeated Idempotency-Key only while the lease lasts", async () => {
    const { id } = await space.issue();
    const ask = async () => {
      const response = await fetch(`${space.url}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: agent.token, "Idempotency-Key": `k ${id}` },
        body: JSON.stringify({ query: `mutation { issueClaim(input: { id: "${id}" }) { ${LEASE_FIELDS} } }` }),
      });
      return (await response.json()) as any;
    };
    const first = await ask();
    expect((await ask()).data).to.deep.equal(first.data);
    await space.does("issueRelease", { id });
    await another.claim({ id });
    expect((await ask()).errors[0]).to.nested.include({ "extensions.code": "CONFLICT" });
  });

  describe("has a fence that", () => {
    /** Every mutation that accepts a fence. */
    const WRITES: Record<string, (id: string, fence: number | null) => Record<string, unknown>> = {
      issueUpdate: (id, fence) => ({ id, input: { title: "Mine", fence } }),
      commentCreate: (issueId, fence) => ({ input: { issueId, body: "Mine", fence } }),
      issueRenew: (id, fence) => ({ id, fence }),
      issueRelease: (id, fence) => ({ id, fence }),
      issueComplete: (id, fence) => ({ id, fence }),
    };
    for (const [mutation, args] of Object.entries(WRITES)) {
      it(`is refused by ${mutation} when stale, naming the holder, and accepted when current`, async () => {
        const { id } = await space.issue();
        await agent.claim({ id });
        await agent.does("issueRelease", { id, fence: 1 });
        for (const stale of [1, 0, -1, 2, 2_147_483_647]) {
          const free = await agent.refuses(mutation, args(id, stale));
          expect(free).to.deep.include({ code: "CONFLICT", field: undefined });
          expect(free.message).to.contain("nobody holds");
        }
        await another.claim({ id });
        const refusal = await agent.refuses(mutation, args(id, 1));
        expect(refusal).to.deep.include({ code: "CONFLICT", field: undefined });
        expect(refusal.message).to.contain("Bob holds");
        await another.does(mutation, args(id, 2));
      });
      if (mutation === "issueRenew") continue;
      it(`is not required by ${mutation}`, async () => {
        const { id } = await space.issue();
        await agent.claim({ id });
        await space.does(mutation, args(id, null));
      });
    }

    it("is not accepted at all by issueBatchUpdate", async () => {
      const { id } = await space.issue();
      const refusal = await agent.refuses("issueBatchUpdate", { ids: [id], input: { fence: 1 } });
      expect(refusal).to.include({ code: "INVALID_INPUT", field: "input.fence" });
    });
  });

  describe("ends after", () => {
    const ENDS: Record<string, (id: string) => Promise<unknown>> = {
      completing: (id) => space.does("issueComplete", { id, comment: "Done." }),
      "completing by a plain update": (id) =>
        space.does("issueUpdate", { id, input: { stateId: space.states["Done"] } }),
      canceling: (id) => space.does("issueUpdate", { id, input: { stateId: space.states["Canceled"] } }),
      "canceling many": (id) =>
        space.does("issueBatchUpdate", { ids: [id], input: { stateId: space.states["Canceled"] } }),
      archiving: (id) => space.does("issueArchive", { id }),
      trashing: (id) => space.does("issueDelete", { id }),
      "trashing by an update": (id) => space.does("issueUpdate", { id, input: { trashed: true } }),
      "moving to another team": async (id) => {
        const { team } = await space.does("teamCreate", { input: { name: "Elsewhere" } }, "team { id }");
        await space.does("issueUpdate", { id, input: { teamId: team.id } });
      },
      "delegating to another": (id) => space.does("issueUpdate", { id, input: { delegateId: another.id } }),
      "delegating to nobody": (id) => space.does("issueUpdate", { id, input: { delegateId: null } }),
      "a duplicate": async (id) => {
        const { id: relatedIssueId } = await space.issue();
        await space.does("issueRelationCreate", { input: { type: "duplicate", issueId: id, relatedIssueId } });
      },
    };
    for (const [how, ends] of Object.entries(ENDS)) {
      it(how, async () => {
        const { id } = await space.issue();
        await agent.claim({ id });
        const after = await space.last();
        await ends(id);
        expect((await lease(id)).lease).to.equal(null);
        const told = (await space.log(after)).filter(({ updatedFrom }: any) => updatedFrom?.holderId === agent.id);
        const removed = (await space.log(after)).filter(({ type, action }) => type === "Issue" && action === "remove");
        expect(told.length + removed.length).to.equal(1);
        expect((await agent.refuses("issueUpdate", { id, input: { title: "late", fence: 1 } })).code).to.equal(
          "CONFLICT",
        );
      });
    }

    it("deleting the agent", async () => {
      const { id } = await space.issue({ priority: 3 });
      const gone = await createAgent(space, "Gone");
      await gone.claim({ id });
      expect((await space.rest("DELETE", `/api/members/${gone.id}`)).status, "an agent is no member").to.equal(404);
      expect((await space.rest("DELETE", `/api/agents/${gone.id}`)).status).to.equal(200);
      expect((await gone.graphql("{ viewer { id } }")).status).to.equal(401);
      expect(await lease(id)).to.deep.equal({ ready: true, lease: null });
      expect((await space.read(id)).state.name).to.equal("Backlog");
    });

    it("revoking the agent's key", async () => {
      const { id } = await space.issue();
      const gone = await createAgent(space, "Gone");
      await gone.claim({ id });
      const { runtime } = await startSharedServer();
      const [key] = await runtime.db.query<{ id: string }>({
        text: `select id from "apiKey" where "userId" = $1`,
        values: [gone.id],
      });
      await revokeCredentials(runtime.db, key?.id ?? "");
      await maintainLeases(runtime);
      expect(await lease(id)).to.deep.equal({ ready: true, lease: null });
    });

    it("removing the member", async () => {
      const { id } = await space.issue();
      const member = await inviteGuest(space);
      const claim = `mutation { issueClaim(input: { id: "${id}" }) { ${LEASE_FIELDS} } }`;
      const { data } = await sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query: claim });
      expect(data.issueClaim.lease.holder.id).to.equal(member.id);
      await space.rest("DELETE", `/api/members/${member.id}`);
      expect(await lease(id)).to.deep.equal({ ready: true, lease: null });
    });

    it("no change that keeps the holder", async () => {
      const { id } = await space.issue();
      const { lease: held } = await agent.claim({ id });
      const input = { title: "Another", priority: 2, assigneeId: (await space.gql("{ viewer { id } }")).viewer.id };
      await space.does("issueUpdate", { id, input });
      expect((await lease(id)).lease).to.deep.equal(held);
    });
  });

  it("is reverted by issueRelease, and the log contains who released the issue", async () => {
    const { id } = await space.issue({ stateId: space.states["Todo"] });
    await agent.claim({ id });
    const after = await space.last();
    await space.does("issueRelease", { id, comment: "I need this now." });
    expect((await space.read(id)).state.name).to.equal("Todo");
    const { issue } = await space.gql(`{ issue(id: "${id}") { ready delegate { id } comments { nodes { body } } } }`);
    expect(issue).to.deep.equal({ ready: true, delegate: null, comments: { nodes: [{ body: "I need this now." }] } });
    const [change] = await space.log(after);
    expect(change).to.nested.include({
      event: "issue.released",
      "actor.type": "user",
      "updatedFrom.holderId": agent.id,
    });
  });

  it("is renewed without a change in the log", async () => {
    const { id } = await space.issue();
    const { lease: first } = await agent.claim({ id, ttlSeconds: 60 });
    const last = await space.last();
    const renewed = await agent.does("issueRenew", { id, fence: 1, ttlSeconds: 3600 }, LEASE_FIELDS);
    expect(Date.parse(renewed.lease.expiresAt) - Date.parse(first.expiresAt)).to.be.greaterThan(3_500_000);
    expect(await space.last()).to.equal(last);
    expect((await agent.refuses("issueRenew", { id, fence: 1, ttlSeconds: 1 })).field).to.equal("ttlSeconds");
  });

  describe("without renewal", () => {
    const run = async (text: string, values: unknown[] = []) =>
      (await startSharedServer()).runtime.db.query({ text, values });
    const record = async (session_id: string) => {
      const headers = { "x-api-key": space.ingestKey };
      const event = { event_id: uuidv7(), session_id, primitive_name: "agent", args: "", result: "" };
      expect((await callRestApi(space.url, "POST", "/api/v1/capture-event", { body: event, headers })).status).to.equal(
        200,
      );
      return event.event_id;
    };
    const look = async () => maintainLeases((await startSharedServer()).runtime);

    it("ends at the next check, with a comment by the system", async () => {
      const { id } = await space.issue({ stateId: space.states["Todo"] });
      await agent.claim({ id });
      const after = await space.last();
      await moveLeaseTimes(id, 30 * 60);
      await look();
      expect((await lease(id)).lease).to.equal(null);
      expect((await space.read(id)).state.name).to.equal("Todo");
      const { issue } = await space.gql(`{ issue(id: "${id}") { ready comments { nodes { body user { id } } } } }`);
      expect(issue.ready).to.equal(true);
      expect(issue.comments.nodes[0].user).to.equal(null);
      expect(issue.comments.nodes[0].body).to.contain("Ada held it since");
      const [change] = await space.log(after);
      expect(change).to.nested.include({
        event: "issue.leaseExpired",
        "actor.type": "system",
        "updatedFrom.holderId": agent.id,
      });
    });

    it("does not end while its session records, by session id or by the agent's own id", async () => {
      for (const external of [false, true]) {
        const { id } = await space.issue();
        const session = uuidv7();
        await agent.claim({ id, sessionId: external ? `mine ${session}` : session });
        await moveLeaseTimes(id, 16 * 60);
        await record(session);
        if (external)
          await run("update recorded_session set external_id = $1 where session_id = $2", [`mine ${session}`, session]);
        await look();
        const { lease: renewed } = await lease(id);
        expect(Date.parse(renewed.expiresAt) - Date.now()).to.be.within(29 * 60_000, 31 * 60_000);
        await moveLeaseTimes(id, 40 * 60);
        const event = await record(session);
        await look();
        expect((await lease(id)).lease.fence, "renewed at the last moment").to.equal(1);
        await run(
          `update recorded_event set received_at = ${earlierSql("received_at", "interval '2 hours'")} where session_id = $1`,
          [session],
        );
        await moveLeaseTimes(id, 60 * 60);
        await look();
        const { issue } = await space.gql(`{ issue(id: "${id}") { ${LEASE_FIELDS} comments { nodes { body } } } }`);
        expect(issue.lease).to.equal(null);
        expect(issue.comments.nodes[0].body).to.contain(event);
      }
    });

    it("is not renewed until half of its time is over", async () => {
      const { id } = await space.issue();
      const session = uuidv7();
      const { lease: held } = await agent.claim({ id, sessionId: session });
      await record(session);
      await look();
      expect((await lease(id)).lease).to.deep.equal(held);
    });

    it("is ended by the next claim before the check, and the late holder gets an error", async () => {
      const { id } = await space.issue();
      await agent.claim({ id, ttlSeconds: 60 });
      await moveLeaseTimes(id, 61);
      const { lease: held } = await another.claim({ id });
      expect(held).to.deep.include({ fence: 2, holder: { id: another.id, name: "Bob" } });
      const refusal = await agent.refuses("issueComplete", { id, fence: 1 });
      expect(refusal).to.include({ code: "CONFLICT" });
      expect(refusal.message).to.contain("Bob holds");
    });
  });
});
