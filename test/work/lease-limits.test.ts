import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { stopLeasesAtLimits } from "../../server/jobs/leases.ts";
import { sendHook } from "../support/recording/agent-calls.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createAgent, moveLeaseTimes, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const STATE = `query ($id: String!) { issue(id: $id) { ready lease { fence trippedBy trippedAt costLimit tokenLimit minuteLimit
  equalCallLimit } comments { nodes { body user { id } } } } }`;

describe("a claim with limits", () => {
  let space: Workspace;
  let agent: TestAgent;
  before(async () => {
    space = await createWorkspace();
    agent = await createAgent(space, "Ada");
  });
  const state = async (id: string) => (await space.gql(STATE, { id })).issue;
  const records = async (events: object[]) => {
    const headers = { "x-api-key": space.ingestKey };
    const { status } = await callRestApi(space.url, "POST", "/api/v1/capture-events", { body: { events }, headers });
    expect(status).to.equal(202);
  };
  const spends = (session_id: string, more: object) =>
    records([createEvent({ session_id, metadata: { "gen_ai.request.model": "nobody-knows-it", ...more } })]);
  const compared = async () => stopLeasesAtLimits((await startSharedServer()).runtime);
  /**
   * Claims a new issue with limits, records events of the session, and returns the lease after the server compared
   * the limits.
   */
  const stopped = async (limits: object, record: (session: string) => Promise<unknown>) => {
    const [{ id }, sessionId] = [await space.issue(), uuidv7()];
    await agent.claim({ id, sessionId, ...limits });
    await record(sessionId);
    await compared();
    return { id, sessionId, lease: (await state(id)).lease };
  };

  const cost = (dollars: number) => ({ "gen_ai.usage.cost": dollars });
  const tokens = (count: number) => ({ "gen_ai.usage.input_tokens": count, "gen_ai.usage.output_tokens": count });
  const calls = (session_id: string, results: string[]) =>
    records(
      results.map((result) => createEvent({ session_id, primitive_type: "tool", primitive_name: "Bash", result })),
    );

  it("is stopped by cost, tokens, minutes and repeated calls, exactly at the limit", async () => {
    const trippedBy = async (limits: object, record: (session: string) => Promise<unknown>) =>
      (await stopped(limits, record)).lease.trippedBy;
    expect(await trippedBy({ costLimit: 2 }, (session) => spends(session, cost(2)))).to.equal("cost");
    expect(await trippedBy({ costLimit: 2 }, (session) => spends(session, cost(1.99)))).to.equal(null);
    expect(await trippedBy({ costLimit: 0.01 }, (session) => spends(session, tokens(1_000_000)))).to.equal(null);
    expect(await trippedBy({ tokenLimit: 20 }, (session) => spends(session, tokens(10)))).to.equal("tokens");
    expect(await trippedBy({ tokenLimit: 21 }, (session) => spends(session, tokens(10)))).to.equal(null);
    expect(await trippedBy({ equalCallLimit: 3 }, (session) => calls(session, ["a", "a", "a"]))).to.equal("equalCalls");
    expect(await trippedBy({ equalCallLimit: 3 }, (session) => calls(session, ["a", "b", "a", "a"]))).to.equal(null);
    const codex = (chunk: string, state: string, output: string) =>
      `Chunk ID: ${chunk}\nWall time: 0.0${chunk} seconds\nProcess ${state}\nOriginal token count: 2\nOutput:\n${output}\n`;
    const by = (state: string, ...outputs: string[]) =>
      trippedBy({ equalCallLimit: 3 }, (session) =>
        calls(
          session,
          outputs.map((output, at) => codex(String(at), state, output)),
        ),
      );
    expect(await by("exited with code 0", "a", "a", "a")).to.equal("equalCalls");
    expect(await by("exited with code 0", "a", "a", "b")).to.equal(null);
    expect(await by("running with session ID 7", "a", "a", "a")).to.equal(null);
    const asReported = ["a", codex("1", "exited with code 0", "a"), "a"];
    expect(await trippedBy({ equalCallLimit: 3 }, (session) => calls(session, asReported))).to.equal("equalCalls");
    const { id } = await space.issue();
    await agent.claim({ id, minuteLimit: 5 });
    await moveLeaseTimes(id, 299);
    await compared();
    expect((await state(id)).lease.trippedBy).to.equal(null);
    await moveLeaseTimes(id, 1);
    await compared();
    expect((await state(id)).lease.trippedBy).to.equal("minutes");
  });

  it("is in everybody's inbox when stopped, until a person releases or takes over the issue", async () => {
    const entries = async (id: string): Promise<any[]> => {
      const query = "{ inbox(first: 100) { nodes { type question createdAt issue { id } holder { name } } } }";
      return (await space.gql(query)).inbox.nodes.filter(({ issue }: any) => issue?.id === id);
    };
    const { id, lease } = await stopped({ costLimit: 2 }, (session) => spends(session, cost(2)));
    const [entry, ...others] = await entries(id);
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.equal({
      ...{ type: "limitReached", question: "Limit of cost: An issue", createdAt: lease.trippedAt },
      ...{ issue: { id }, holder: { name: "Ada" } },
    });
    await space.does("issueClaim", { input: { id, fence: lease.fence } });
    expect(await entries(id)).to.deep.equal([]);
    const second = await stopped({ equalCallLimit: 2 }, (session) => calls(session, ["a", "a"]));
    expect((await entries(second.id))[0].question).to.equal("Limit of equal calls: An issue");
    await space.does("issueRelease", { id: second.id });
    expect(await entries(second.id)).to.deep.equal([]);
    const within = await stopped({ costLimit: 2 }, (session) => spends(session, cost(1)));
    expect(await entries(within.id)).to.deep.equal([]);
  });

  it("does not count usage of the session before the claim", async () => {
    const [{ id }, sessionId] = [await space.issue(), uuidv7()];
    await spends(sessionId, cost(10));
    await agent.claim({ id, sessionId, costLimit: 5 });
    await spends(sessionId, cost(4));
    await compared();
    expect((await state(id)).lease.trippedBy).to.equal(null);
    await spends(sessionId, cost(1));
    await compared();
    expect((await state(id)).lease.trippedBy).to.equal("cost");
  });

  it("has the limits of its team unless it sets its own", async () => {
    await space.does("teamUpdate", { id: space.teamId, input: { leaseCostLimit: 3, leaseMinuteLimit: 60 } });
    const { id } = await space.issue();
    await agent.claim({ id, costLimit: 1 });
    const { lease } = await state(id);
    expect(lease).to.include({ costLimit: 1, minuteLimit: 60, tokenLimit: null, equalCallLimit: null });
    await space.does("teamUpdate", { id: space.teamId, input: { leaseCostLimit: null, leaseMinuteLimit: null } });
  });

  it("refuses every write of its holder once stopped, keeps its lease, and explains the stop once", async () => {
    const after = await space.last();
    const { id, sessionId, lease } = await stopped({ costLimit: 2 }, (session) => spends(session, cost(2.5)));
    await Promise.all([compared(), compared()]);
    const { fence } = lease;
    const refused = async (mutation: string, args: object) => {
      const { code, message } = await agent.refuses(mutation, args as Record<string, unknown>);
      expect([code, message], mutation).to.satisfy(
        ([is, words]: string[]) => is === "CONFLICT" && /reached the limit of cost/.test(String(words)),
      );
    };
    await refused("issueUpdate", { id, input: { title: "Mine", fence } });
    await refused("commentCreate", { input: { issueId: id, body: "Still here", fence } });
    await refused("issueRenew", { id, fence });
    await refused("issueRenew", { id, sessionId });
    await refused("issueComplete", { id, fence });
    await refused("issueClaim", { input: { id, sessionId } });
    const { ready, comments } = await state(id);
    expect(ready).to.equal(false);
    expect(
      comments.nodes.map(({ body, user }: any) => [/reached its limit of cost.*\$2\.50/.test(body), user]),
    ).to.deep.equal([[true, null]]);
    const events = (await space.log(after)).map(({ event }) => event);
    expect(events.filter((event) => event === "issue.limitReached")).to.have.lengthOf(1);
    await agent.does("issueRelease", { id, fence });
    expect((await state(id)).lease).to.equal(null);
  });

  it("can be taken over once stopped, with new limits", async () => {
    const { id, lease } = await stopped({ costLimit: 2 }, (session) => spends(session, cost(2)));
    const taken = await space.does(
      "issueClaim",
      { input: { id, fence: lease.fence } },
      "lease { fence trippedBy costLimit }",
    );
    expect(taken.lease).to.deep.equal({ fence: lease.fence + 1, trippedBy: null, costLimit: null });
  });

  it("can name its session later with the fence, and then the session extends and limits it", async () => {
    const [{ id }, sessionId] = [await space.issue(), uuidv7()];
    const { lease } = await agent.claim({ id, costLimit: 2 });
    expect((await agent.refuses("issueRenew", { id, sessionId })).code).to.equal("CONFLICT");
    await spends(sessionId, cost(2));
    await agent.does("issueRenew", { id, fence: lease.fence, sessionId });
    await compared();
    expect((await state(id)).lease.trippedBy).to.equal("cost");
    const { issue } = await space.gql(`{ issue(id: "${id}") { sessions { nodes { id } } } }`);
    expect(issue.sessions.nodes).to.deep.equal([{ id: sessionId }]);
  });

  it("stops the session with its Trackway id, also if two agents use the same external id", async () => {
    const prompt = {
      session_id: "same",
      hook_event_name: "UserPromptSubmit",
      prompt_id: "p",
      turn_id: "p",
      prompt: "Go",
    };
    for (const source of ["claude-code", "codex"]) await sendHook(space, prompt, source);
    const filter = '{ externalId: { eq: "same" }, source: { eq: "claude-code" } }';
    const { recordedSessions } = await space.gql(`{ recordedSessions(filter: ${filter}) { nodes { id } } }`);
    const [{ id }, [session]] = [await space.issue(), recordedSessions.nodes];
    await agent.claim({ id, sessionId: session.id, minuteLimit: 1 });
    await moveLeaseTimes(id, 60);
    await compared();
    const { status } = await callRestApi(space.url, "POST", "/api/v1/hooks/claude-code/fuse", {
      headers: { "x-api-key": space.ingestKey },
      body: { session_id: "same" },
    });
    expect(status).to.equal(200);
  });

  it("refuses invalid limits", async () => {
    const { id } = await space.issue();
    for (const limit of [
      { costLimit: 0 },
      { tokenLimit: 0 },
      { minuteLimit: 0 },
      { equalCallLimit: 1 },
      { equalCallLimit: 51 },
    ])
      expect((await agent.refuses("issueClaim", { input: { id, ...limit } })).code).to.equal("INVALID_INPUT");
  });
});
