import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { countMarkedHours } from "../../../server/jobs/analytics.ts";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { repairDerivedValues } from "../../support/db/derived.ts";
import { createEvent, createSession } from "../../support/recording/ingest.ts";
import { encodeAttributes } from "../../support/recording/telemetry.ts";
import { callRestApi, startSharedServer, waitUntilFolded } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const DAY = 24 * 60 * 60 * 1000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;

const USAGE = `query ($groupBy: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration, $filter: RecordedUsageFilter) {
  recordedUsage(groupBy: $groupBy, from: $from, to: $to, filter: $filter) { from to truncated
    groups { name events inputTokens outputTokens cacheReadTokens cost costSource missingCosts sessions
      days { day events inputTokens cost sessions } } } }`;

const usage = async (space: Workspace, groupBy: string, more: object = {}) =>
  (await space.gql(USAGE, { groupBy, ...more })).recordedUsage;

const post = async ({ url, ingestKey }: Workspace, path: string, body: object) => {
  const reply = await callRestApi(url, "POST", `/api/v1/${path}`, { body, headers: { "x-api-key": ingestKey } });
  expect(reply.status).to.be.within(200, 202);
};

const model = (name: string, input: number) => ({
  "gen_ai.request.model": name,
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": 0,
});

/**
 * Records two sessions of one user and one of another: the day before yesterday, yesterday, and on both days. gpt-4o
 * costs 2.50 per million.
 */
async function recorded(space: Workspace): Promise<string[]> {
  const sessions = [uuidv7(), uuidv7(), uuidv7()];
  const [one = "", two = "", three = ""] = sessions;
  const at = (days: number) => TODAY - days * DAY + DAY / 2;
  const turn = (session_id: string, days: number, name: string, input: number) =>
    createEvent({ session_id, timestamp: at(days), primitive_name: "helper", metadata: model(name, input) });
  const events = [
    turn(one, 2, "gpt-4o", 1_000_000),
    turn(two, 1, "gpt-4o", 2_000_000),
    turn(three, 2, "gpt-4o", 4_000_000),
    turn(three, 1, "nobody-knows-it", 5),
    createEvent({ session_id: three, timestamp: at(1), primitive_type: "tool", primitive_name: "Bash" }),
  ];
  await post(space, "capture-events", { events });
  for (const [n, session_id] of sessions.entries())
    await post(space, "capture-session", {
      ...createSession({ session_id, metadata: { cwd: `/code/${n % 2}` } }),
      user_data: { user_id: n < 2 ? "ann" : "bob" },
    });
  return sessions;
}

const of = (groups: any[]) =>
  groups.map(({ name, cost, inputTokens, sessions, days }) => [
    name,
    cost,
    inputTokens,
    sessions,
    days.map((each: any) => [each.cost, each.sessions]),
  ]);

/** Reads the groups before and after the job computed the counts, and expects equal results. */
async function counted(space: Workspace, groupBy: string, more: object = {}) {
  const { runtime } = await startSharedServer();
  const before = await usage(space, groupBy, more);
  await countMarkedHours(runtime.db);
  const after = await usage(space, groupBy, more);
  expect(after).to.deep.equal(before);
  return after.groups;
}

describe("usage of recorded sessions", () => {
  it("is grouped by day, model, agent, user, tool and repository, the same before and after hours are counted", async () => {
    const space = await createWorkspace();
    await recorded(space);
    expect(of(await counted(space, "model"))).to.deep.equal([
      [
        "gpt-4o",
        17.5,
        7_000_000,
        3,
        [
          [12.5, 2],
          [5, 1],
        ],
      ],
      ["nobody-knows-it", null, 5, 1, [[null, 1]]],
    ]);
    expect(of((await usage(space, "agent")).groups)).to.deep.equal([
      [
        "helper",
        17.5,
        7_000_005,
        3,
        [
          [12.5, 2],
          [5, 2],
        ],
      ],
    ]);
    expect(of((await usage(space, "user")).groups)).to.deep.equal([
      [
        "bob",
        10,
        4_000_005,
        1,
        [
          [10, 1],
          [null, 1],
        ],
      ],
      [
        "ann",
        7.5,
        3_000_000,
        2,
        [
          [2.5, 1],
          [5, 1],
        ],
      ],
    ]);
    expect(of((await usage(space, "tool")).groups)).to.deep.equal([["Bash", null, 0, 1, [[null, 1]]]]);
    expect(of((await usage(space, "repository")).groups).map(([name, cost]) => [name, cost])).to.deep.equal([
      ["/code/0", 12.5],
      ["/code/1", 5],
    ]);
    expect(of(await counted(space, "all"))).to.deep.equal([
      [
        "all",
        17.5,
        7_000_005,
        3,
        [
          [12.5, 2],
          [5, 2],
        ],
      ],
    ]);
    const [unknown] = (await usage(space, "model", { filter: { name: { contains: "nobody" } } })).groups;
    expect(unknown).to.deep.include({ costSource: "none", missingCosts: 1 });
    expect(await repairDerivedValues(space.organizationId)).to.deep.equal({});
  });

  it("counts each session once in the overall sum, for sessions on several days and models", async () => {
    const space = await createWorkspace();
    const sessions = Array.from({ length: 60 }, () => uuidv7());
    const turns = (some: string[], days: number, name: string) =>
      some.map((session_id) =>
        createEvent({ session_id, timestamp: TODAY - days * DAY + DAY / 2, metadata: model(name, 1) }),
      );
    const events = [...turns(sessions.slice(0, 45), 2, "gpt-4o"), ...turns(sessions.slice(10), 1, "another")];
    await post(space, "capture-events", { events });
    const [all, ...none] = await counted(space, "all");
    expect(none).to.deep.equal([]);
    expect([all.name, all.sessions, all.days.map(({ sessions }: any) => sessions)]).to.deep.equal([
      "all",
      60,
      [45, 50],
    ]);
  });

  it("is grouped by label and issue through linked sessions", async () => {
    const space = await createWorkspace();
    const [one = "", two = "", three = ""] = await recorded(space);
    const label = await space.does("issueLabelCreate", { input: { name: "payments" } }, "issueLabel { id }");
    const first = await space.issue({ title: "One", labelIds: [label.issueLabel.id] });
    const second = await space.issue({ title: "Two", labelIds: [label.issueLabel.id] });
    const { runtime } = await startSharedServer();
    for (const [issue, session] of [
      [first, one],
      [first, three],
      [second, three],
      [second, two],
    ] as const)
      await runtime.db.query({
        text: `insert into "issueSession" ("organizationId", "issueId", "sessionId", mentioned) values ($1, $2, $3, true)`,
        values: [space.organizationId, issue.id, session],
      });
    const expected = [
      [
        "payments",
        17.5,
        7_000_005,
        3,
        [
          [12.5, 2],
          [5, 1],
        ],
      ],
    ];
    expect(of((await usage(space, "label")).groups)).to.deep.equal(expected);
    await rollUpTotals(runtime.db);
    expect(of((await usage(space, "label")).groups)).to.deep.equal(expected);
    expect(of((await usage(space, "issue")).groups).map(([name, cost]) => [name, cost])).to.deep.equal([
      [second.identifier, 15],
      [first.identifier, 12.5],
    ]);
    const only = await usage(space, "issue", { filter: { name: { eq: first.identifier } } });
    expect(only.groups).to.have.length(1);
  });

  it("follows a session whose user is reported after its first events", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    const users = async () => {
      await waitUntilFolded(runtime, space.organizationId);
      return (await counted(space, "user")).map(({ name, sessions }: any) => [name, sessions]);
    };
    const session = uuidv7();
    const log = async (days: number, told: object) => {
      const at = {
        "event.name": "api_request",
        "session.id": session,
        model: "gpt-4o",
        request_id: `r-${days}`,
        ...told,
      };
      const record = {
        timeUnixNano: `${TODAY - days * DAY}000000`,
        body: { stringValue: "claude_code.api_request" },
        attributes: encodeAttributes({ ...at, input_tokens: 10, output_tokens: 1 }),
      };
      const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
      await callRestApi(space.url, "POST", "/v1/logs", { body, headers: { "x-api-key": space.ingestKey } });
    };
    await log(2, {});
    const [[keyName]] = await users();
    expect(keyName).to.be.a("string");
    await log(1, { "user.id": "ann" });
    expect(await users()).to.deep.equal([["ann", 1]]);
    expect(await repairDerivedValues(space.organizationId)).to.deep.equal({});
  });

  it("accepts whole days, at most 92", async () => {
    const space = await createWorkspace();
    const { from, to, groups } = await usage(space, "model");
    expect(groups).to.deep.equal([]);
    expect(Date.parse(to) - Date.parse(from)).to.equal(30 * DAY);
    const { errors } = await space.graphql(USAGE, { groupBy: "model", from: "-P93D" });
    expect(errors?.[0]?.message).to.contain("92 days");
  });
});
