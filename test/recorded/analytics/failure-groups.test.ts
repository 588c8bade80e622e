import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { callRestApi, startSharedServer } from "../../support/server.ts";
import { type RunCall, recordRuns } from "../../support/web/web-runs.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const GROUPS = `query ($filter: RecordedFailureGroupFilter, $first: Int, $after: String) {
  recordedFailureGroups(filter: $filter, first: $first, after: $after) {
    nodes { id tool message count sessions users firstAt lastAt eventId sessionId hours { at count } issue { identifier } }
    pageInfo { hasNextPage endCursor } } }`;
const FILE = `mutation ($input: IssueCreateFromFailureInput!) {
  issueCreateFromFailure(input: $input) { status issue { id identifier title description state { type } } } }`;

/** Runs the jobs that run every minute. */
async function count(): Promise<void> {
  const { runtime } = await startSharedServer();
  await updateHourAndGroupCounts(runtime);
}

/** Records failures. Returns the ids of the events. */
async function fail({ url, ingestKey }: Workspace, results: readonly string[], fields: object = {}): Promise<string[]> {
  const session_id = randomUUID();
  const events = results.map((result) => ({
    event_id: randomUUID(),
    session_id,
    primitive_name: "Bash",
    primitive_type: "tool",
    args: "{}",
    success: false,
    result,
    ...fields,
  }));
  const reply = await callRestApi(url, "POST", "/api/v1/capture-events", {
    body: { events },
    headers: { "x-api-key": ingestKey },
  });
  expect(reply.status).to.equal(202);
  return events.map(({ event_id }) => event_id);
}

const groupsOf = async ({ gql }: Workspace, variables: object = {}) =>
  (await gql(GROUPS, { ...variables })).recordedFailureGroups;

const file = async ({ gql, teamId }: Workspace, input: object) =>
  (await gql(FILE, { input: { teamId, ...input } })).issueCreateFromFailure;

const commentsOf = async ({ gql }: Workspace, id: string): Promise<{ body: string; user: unknown }[]> =>
  (await gql("query ($id: String!) { issue(id: $id) { comments { nodes { body user { id } } } } }", { id })).issue
    .comments.nodes;

describe("failure groups", () => {
  it("ignore numbers, ids, paths, times, addresses and quoted text, and share one issue", async () => {
    const space = await createWorkspace();
    const one = (n: number) =>
      `read ${n} of '${"x".repeat(n + 1)}' at /srv/${n}/a.ts from https://h${n}.example.com/${n}?a=b, job ${randomUUID()} (0x${n}f) 2026-01-0${1 + (n % 9)}T10:00:0${n % 10}Z`;
    const results = Array.from({ length: 100 }, (_, n) =>
      n % 2 ? JSON.stringify({ error: { message: one(n) } }) : `${one(n)}\nat ${n}`,
    );
    const user = { session_id: randomUUID(), user_data: { user_id: "u-1" } };
    await callRestApi(space.url, "POST", "/api/v1/capture-session", {
      body: user,
      headers: { "x-api-key": space.ingestKey },
    });
    const ids = [
      ...(await fail(space, results.slice(0, 60), { session_id: user.session_id, timestamp: Date.now() - 7_200_000 })),
      ...(await fail(space, results.slice(60))),
    ];
    await count();
    const { nodes } = await groupsOf(space);
    expect(nodes.map(({ message }: { message: string }) => message)).to.have.length(1);
    expect(nodes[0]).to.include({ tool: "Bash", count: 100, sessions: 2, users: 1, issue: null });
    expect(nodes[0].hours.map((hour: { count: number }) => hour.count)).to.deep.equal([40, 60]);
    expect(ids.slice(60)).to.include(nodes[0].eventId);
    const both = await Promise.all([file(space, { eventId: ids[0] }), file(space, { eventId: ids[1] })]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal(["commented", "created"]);
    for (const eventId of ids.slice(2, 6)) expect((await file(space, { eventId })).status).to.equal("commented");
    const again = await file(space, { eventId: ids[0] });
    expect([again.status, again.issue.identifier]).to.deep.equal(["known", both[0].issue.identifier]);
    const { issues } = await space.gql("{ issues { nodes { id } } }");
    expect(issues.nodes).to.have.length(1);
    expect((await groupsOf(space)).nodes[0].issue.identifier).to.equal(again.issue.identifier);
  });

  it("reopen their completed issue once when they fail again, but not a canceled issue", async () => {
    const space = await createWorkspace();
    await fail(space, ["it broke"]);
    await count();
    const [{ id: failureGroupId }] = (await groupsOf(space)).nodes;
    const { issue, status } = await file(space, { failureGroupId });
    expect([status, issue.title]).to.deep.equal(["created", "Bash: it broke"]);
    const stateOf = async () =>
      (await space.gql("query ($id: String!) { issue(id: $id) { state { type } } }", { id: issue.id })).issue.state
        .type;
    await space.does("issueComplete", { id: issue.id }, "issue { id }");
    await fail(space, ["it broke"], { timestamp: Date.now() - 3_600_000 });
    await count();
    expect(await stateOf(), "a failure from before").to.equal("completed");
    const [eventId] = await fail(space, ["it broke"], { timestamp: Date.now() + 1_000 });
    await count();
    await count();
    expect(await stateOf()).to.not.be.oneOf(["completed", "canceled"]);
    const comments = await commentsOf(space, issue.id);
    expect(comments.map(({ user }) => user)).to.deep.equal([null]);
    expect(comments[0]?.body).to.contain(eventId);
    const canceled = (await space.gql(`{ workflowStates(filter: { type: { eq: "canceled" } }) { nodes { id } } }`))
      .workflowStates.nodes[0];
    await space.does("issueUpdate", { id: issue.id, input: { stateId: canceled.id } }, "issue { id }");
    const [later] = await fail(space, ["it broke"], { timestamp: Date.now() + 2_000 });
    await count();
    expect(await stateOf()).to.equal("canceled");
    const next = await file(space, { eventId: later });
    expect([next.status, next.issue.id === issue.id]).to.deep.equal(["created", false]);
  });

  it("are listed by last failure in pages, and filtered by tool and time", async () => {
    const space = await createWorkspace();
    const now = Date.now();
    await fail(space, ["alpha"], { timestamp: now - 3 * 86_400_000 });
    await fail(space, ["beta"], { timestamp: now - 60_000 });
    await fail(space, ["gamma"], { timestamp: now - 120_000, primitive_name: "Read" });
    await count();
    const said = async (variables: object) =>
      (await groupsOf(space, variables)).nodes.map(({ message }: { message: string }) => message);
    expect(await said({})).to.deep.equal(["beta", "gamma", "alpha"]);
    expect(await said({ filter: { tool: { eq: "Bash" } } })).to.deep.equal(["beta", "alpha"]);
    expect(await said({ filter: { lastAt: { gte: "-P1D" } } })).to.deep.equal(["beta", "gamma"]);
    const { pageInfo } = await groupsOf(space, { first: 2 });
    expect(await said({ first: 2, after: pageInfo.endCursor })).to.deep.equal(["alpha"]);
  });

  it("have the same id on the event, the tool and the list, and an event without a failure is refused", async () => {
    const space = await createWorkspace();
    const [id] = await fail(space, ["it broke 7 times"]);
    const shown = async () =>
      await space.gql(
        'query ($id: String!) { recordedEvent(id: $id) { failureGroupId } recordedTool(name: "Bash") { failureGroups { id count } } }',
        { id },
      );
    const before = await shown();
    await count();
    const [group] = (await groupsOf(space)).nodes;
    expect([await shown(), group.id]).to.deep.equal([before, before.recordedEvent.failureGroupId]);
    expect(before.recordedTool.failureGroups).to.deep.equal([{ id: group.id, count: 1 }]);
    const [fine] = await fail(space, ["fine"], { success: true });
    for (const [input, code] of [
      [{ eventId: fine }, "NOT_FOUND"],
      [{ failureGroupId: randomUUID() }, "NOT_FOUND"],
      [{}, "INPUT_ERROR"],
      [{ eventId: id, failureGroupId: group.id }, "INPUT_ERROR"],
    ] as const) {
      const { errors } = await space.graphql(FILE, { input: { teamId: space.teamId, ...input } });
      expect(errors?.[0]?.extensions.code, JSON.stringify(input)).to.equal(code);
    }
  });

  it("have the counts of a recount, however often the jobs run", async () => {
    const drawn = fc.record({
      message: fc.constantFrom("no such file a/b.ts", "exit 1", "exit 22", "timed out"),
      hours: fc.nat(3),
      session: fc.nat(2),
    });
    const rounds = fc.array(fc.tuple(fc.array(drawn, { minLength: 1, maxLength: 8 }), fc.boolean()), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const space = await createWorkspace();
        const sessions = [randomUUID(), randomUUID(), randomUUID()];
        const now = Date.now();
        for (const [some, counts] of all) {
          for (const { message, hours, session } of some)
            await fail(space, [message], { session_id: sessions[session], timestamp: now - hours * 3_600_000 });
          if (counts) await count();
        }
        await count();
        const expected = new Map<string, { count: number; sessions: Set<number>; first: number; last: number }>();
        for (const { message, hours, session } of all.flatMap(([some]) => some)) {
          const key = message.replace(/\d+/g, "‹n›").replace("a/b.ts", "‹path›");
          const known = expected.get(key) ?? { count: 0, sessions: new Set(), first: Infinity, last: 0 };
          const at = now - hours * 3_600_000;
          expected.set(key, {
            count: known.count + 1,
            sessions: known.sessions.add(session),
            first: Math.min(known.first, at),
            last: Math.max(known.last, at),
          });
        }
        const { nodes } = await groupsOf(space);
        const found = nodes.map((one: any) => [
          one.message,
          one.count,
          one.sessions,
          Date.parse(one.firstAt),
          Date.parse(one.lastAt),
        ]);
        expect(found).to.have.deep.members(
          [...expected].map(([message, one]) => [message, one.count, one.sessions.size, one.first, one.last]),
        );
      }),
      { numRuns: scaleRuns(8) },
    );
  });

  it("count agents with the cost of their sessions, and omit values that no agent reported", async () => {
    const space = await createWorkspace();
    const broken: RunCall = { tool: "Bash", args: {}, result: "it broke", fails: true };
    await recordRuns(space, [
      { prompt: "One", calls: [broken, broken], model: "claude-sonnet-4-5", cost: 1.5 },
      { prompt: "Two", calls: [broken], model: "in-house", age: 1 },
      { prompt: "Three", agent: "codex", calls: [broken], model: "in-house", age: 3 },
      { prompt: "Another", agent: "gemini-cli", calls: [{ ...broken, result: "no space" }], cost: 7 },
    ]);
    const { recordedFailureGroups } = await space.gql(
      `{ recordedFailureGroups(filter: { message: { eq: "it broke" } }) { nodes { count agentCounts { name count sessions cost } } } }`,
    );
    expect(recordedFailureGroups.nodes).to.deep.equal([
      {
        count: 4,
        agentCounts: [
          { name: "claude-code", count: 3, sessions: 2, cost: 1.5 },
          { name: "codex", count: 1, sessions: 1, cost: null },
        ],
      },
    ]);
  });

  it("are counted in a range after 50 more frequent groups of their tool, and only for their own organization", async () => {
    const space = await createWorkspace();
    const letters = [..."ghijklmnop"];
    const words = letters.flatMap((one) => letters.slice(0, 6).map((two) => `failure of kind ${one}${two}x`));
    await fail(space, [...words, ...words, "the rare one"], { timestamp: Date.now() - 20 * 3_600_000 });
    await count();
    const [rare] = (await groupsOf(space, { filter: { message: { eq: "the rare one" } } })).nodes;
    const asked = `query ($only: String) { recordedTool(name: "Bash", failureGroupId: $only) { failureGroups { id count } } }`;
    const groups = async (only: string | null) => (await space.gql(asked, { only })).recordedTool.failureGroups;
    const common = await groups(null);
    expect([common.length, common.some(({ id }: { id: string }) => id === rare.id)]).to.deep.equal([50, false]);
    expect(await groups(rare.id)).to.deep.equal([{ id: rare.id, count: 1 }]);
    const [fresh] = await fail(space, ["the rare one"]);
    expect(fresh).to.be.a("string");
    expect(await groups(rare.id), "with one that is not counted yet").to.deep.equal([{ id: rare.id, count: 2 }]);
    expect(await groups(randomUUID())).to.deep.equal([]);
    expect(await groupsOf(await createWorkspace(), { filter: { id: { eq: rare.id } } })).to.deep.include({ nodes: [] });
    const refused = await space.gql(asked, { only: "no id" }).catch((error: Error) => error.message);
    expect(refused).to.match(/recorded failure group/i);
  });
});
