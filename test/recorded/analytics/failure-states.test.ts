import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { callRestApi, startSharedServer } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const DAY = 86_400_000;
const GROUPS = `query ($filter: RecordedFailureGroupFilter) { recordedFailureGroups(filter: $filter) {
  nodes { id message state agents days { day count } ignoredAt ignoredUntil ignoredUntilCount } } }`;

interface Group {
  id: string;
  message: string;
  state: string;
  agents: string[];
  days: { day: string; count: number }[];
  ignoredUntil: string | null;
  ignoredUntilCount: number | null;
}

const groupsOf = async ({ gql }: Workspace, filter: object = {}): Promise<Group[]> =>
  (await gql(GROUPS, { filter })).recordedFailureGroups.nodes;

const statesOf = async (space: Workspace, filter?: object) =>
  Object.fromEntries((await groupsOf(space, filter)).map(({ message, state }) => [message, state]));

const SUMMARY = `{ recordedFailureSummary(from: "-P90D") { new back ongoing filed ignored truncated } }`;

async function send({ url, ingestKey }: Workspace, events: readonly object[]): Promise<void> {
  const headers = { "x-api-key": ingestKey };
  expect((await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers })).status).to.equal(
    202,
  );
}

const event = (fields: object) => ({
  event_id: randomUUID(),
  session_id: randomUUID(),
  primitive_name: "Bash",
  ...fields,
});

/** Records failures with the given ages in days, and runs the job that groups failures. */
async function fail(space: Workspace, failures: Readonly<Record<string, readonly number[]>>): Promise<void> {
  const events = Object.entries(failures).flatMap(([result, ages]) =>
    ages.map((age) =>
      event({
        primitive_type: "tool",
        args: `{"n":"${age}"}`,
        result,
        success: false,
        timestamp: Date.now() - age * DAY,
      }),
    ),
  );
  await send(space, events);
  await updateHourAndGroupCounts((await startSharedServer()).runtime);
}

describe("failure group states", () => {
  it("separate new, ongoing and returned groups in lists, filters and counts", async () => {
    const space = await createWorkspace();
    await fail(space, { alpha: [1], beta: [20, 16, 10, 4, 1], gamma: [20, 3, 2], delta: [30, 12] });
    expect(await statesOf(space)).to.deep.equal({ alpha: "new", beta: "ongoing", gamma: "back", delta: "ongoing" });
    for (const [filter, messages] of [
      [{ eq: "new" }, ["alpha"]],
      [{ in: ["new", "back"] }, ["alpha", "gamma"]],
      [{ neq: "ongoing" }, ["alpha", "gamma"]],
      [{ nin: ["new", "back", "filed", "ignored"] }, ["beta", "delta"]],
      [{ eq: "new", neq: "new" }, []],
      [{}, ["alpha", "beta", "delta", "gamma"]],
    ] as const) {
      expect(Object.keys(await statesOf(space, { state: filter })).sort(), JSON.stringify(filter)).to.deep.equal(
        messages,
      );
    }
    const { recordedFailureSummary } = await space.gql(SUMMARY);
    expect(recordedFailureSummary).to.deep.equal({
      new: 1,
      back: 1,
      ongoing: 2,
      filed: 0,
      ignored: 0,
      truncated: false,
    });
  });

  it("show a filed issue, and a failure after the issue was completed", async () => {
    const space = await createWorkspace();
    await fail(space, { alpha: [1], beta: [1] });
    const [{ id: failureGroupId }] = (await groupsOf(space, { message: { eq: "alpha" } })) as [Group];
    const input = { teamId: space.teamId, failureGroupId };
    const { issue } = await space.does("issueCreateFromFailure", { input }, "issue { id }");
    expect(await statesOf(space)).to.deep.equal({ alpha: "filed", beta: "new" });
    await space.does("issueComplete", { id: issue.id }, "issue { id }");
    expect(await statesOf(space)).to.deep.equal({ alpha: "filed", beta: "new" });
    await fail(space, { alpha: [-0.0001] });
    expect(await statesOf(space)).to.deep.equal({ alpha: "back", beta: "new" });
    expect(await statesOf(space, { state: { eq: "back" } })).to.deep.equal({ alpha: "back" });
    await space.does("issueComplete", { id: issue.id }, "issue { id }");
    expect(await statesOf(space, { state: { eq: "filed" } })).to.deep.equal({ alpha: "filed" });
    await space.does("issueDelete", { id: issue.id }, "success");
    expect(await statesOf(space)).to.deep.equal({ alpha: "new", beta: "new" });
  });

  it("can be ignored forever, until a time or up to a count, which the audit log records", async () => {
    const space = await createWorkspace();
    await fail(space, { alpha: [1], beta: [1], gamma: [1] });
    const ids = Object.fromEntries((await groupsOf(space)).map(({ message, id }) => [message, id]));
    const ignore = (message: string, input: object = {}) =>
      space.does(
        "recordedFailureGroupIgnore",
        { id: ids[message], input },
        "recordedFailureGroup { state ignoredUntil }",
      );
    const { runtime } = await startSharedServer();
    const soon = new Date(Date.now() + DAY).toISOString();
    expect((await ignore("alpha")).recordedFailureGroup).to.deep.equal({ state: "ignored", ignoredUntil: null });
    expect((await ignore("beta", { until: soon })).recordedFailureGroup.ignoredUntil).to.equal(soon);
    await ignore("gamma", { untilCount: 3 });
    expect((await space.gql(SUMMARY)).recordedFailureSummary).to.include({ ignored: 3, new: 0 });
    expect(await statesOf(space, { state: { eq: "new" } })).to.deep.equal({});
    await fail(space, { gamma: [1] });
    expect((await statesOf(space)).gamma).to.equal("ignored");
    await fail(space, { gamma: [1], alpha: [1] });
    await runtime.db.query({
      text: `update "failureIgnore" set until = now() - interval '1 minute' where "groupId" = $1`,
      values: [ids.beta],
    });
    expect(await statesOf(space)).to.deep.equal({ alpha: "ignored", beta: "new", gamma: "new" });
    const [back] = await groupsOf(space, { message: { eq: "beta" } });
    expect(back).to.deep.include({ ignoredUntil: null, ignoredUntilCount: null });
    await space.does("recordedFailureGroupUnignore", { id: ids.alpha }, "recordedFailureGroup { id }");
    await space.does("recordedFailureGroupUnignore", { id: ids.alpha }, "recordedFailureGroup { id }");
    expect((await statesOf(space)).alpha).to.equal("new");
    const noted = await runtime.db.query<{ event: string }>({
      text: `select event from audit where "organizationId" = $1 and event like 'recordedFailureGroup.%' order by id`,
      values: [space.organizationId],
    });
    expect(noted.map(({ event: name }) => name.split(".")[1])).to.deep.equal([
      "ignored",
      "ignored",
      "ignored",
      "unignored",
    ]);
  });

  it("refuse to ignore until a past time, and refuse an unknown group", async () => {
    const space = await createWorkspace();
    const other = await createWorkspace();
    await fail(space, { alpha: [1, 2] });
    const [group] = await groupsOf(space);
    const refused = async (at: Workspace, id: unknown, input: object) => {
      const { code, field } = await at.refuses("recordedFailureGroupIgnore", { id, input });
      return [code, field];
    };
    expect(await refused(space, group?.id, { until: "2020-01-01T00:00:00.000Z" })).to.deep.equal([
      "INPUT_ERROR",
      "until",
    ]);
    expect(await refused(space, group?.id, { untilCount: 2 })).to.deep.equal(["INPUT_ERROR", "untilCount"]);
    expect((await refused(space, randomUUID(), {}))[0]).to.equal("NOT_FOUND");
    expect((await refused(space, "no id", {}))[0]).to.equal("NOT_FOUND");
    expect((await refused(other, group?.id, {}))[0]).to.equal("NOT_FOUND");
    expect(await statesOf(space)).to.deep.equal({ alpha: "new" });
  });

  it("include daily counts, agents, and three examples with their difference from earlier calls", async () => {
    const space = await createWorkspace();
    const session_id = randomUUID();
    const at = Date.now() - DAY;
    const tool = { session_id, primitive_type: "tool" };
    await send(space, [
      event({
        session_id,
        primitive_name: "my-agent",
        primitive_type: "agent",
        args: "go",
        result: "ok",
        timestamp: at,
      }),
      event({ ...tool, primitive_name: "Read", args: "a.ts", result: "1", timestamp: at + 1_000 }),
      event({ ...tool, args: "one", result: "it broke", success: false, timestamp: at + 2_000 }),
    ]);
    await send(
      space,
      [3, 3, 2, 2].map((age, n) =>
        event({
          primitive_type: "tool",
          args: n < 2 ? "two" : "three",
          result: "it broke",
          success: false,
          timestamp: Date.now() - age * DAY,
        }),
      ),
    );
    await updateHourAndGroupCounts((await startSharedServer()).runtime);
    const { recordedFailureGroups } = await space.gql(`{ recordedFailureGroups { nodes { agents days { day count }
      examples { at event { args result } session { id } before { name kind success args } } } } }`);
    const [group] = recordedFailureGroups.nodes;
    expect(group.agents).to.deep.equal(["my-agent"]);
    const day = (age: number) => new Date(Date.now() - age * DAY).toISOString().slice(0, 10);
    expect(group.days).to.deep.equal([3, 2, 1].map((age) => ({ day: day(age), count: age === 1 ? 1 : 2 })));
    expect(group.examples.map((each: { event: { args: string } }) => each.event.args)).to.deep.equal([
      "one",
      "three",
      "two",
    ]);
    expect(group.examples[0].session.id).to.equal(session_id);
    expect(group.examples[0].before).to.deep.equal([
      { name: "my-agent", kind: "turn", success: true, args: "go" },
      { name: "Read", kind: "tool", success: true, args: "a.ts" },
    ]);
    expect(group.examples[1].before).to.deep.equal([]);
  });
});
