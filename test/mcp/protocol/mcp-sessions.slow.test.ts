import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { connectSharedClient, type McpClient } from "../../support/mcp.ts";
import { createOrganization, callRestApi as rest, startSharedServer, type Tenant } from "../../support/server.ts";

type Recorded = Tenant & McpClient & { record: (events: object[]) => Promise<void>; session: string; turn: string };

/** Creates a tenant with the team ENG and one recorded session, whose turn contains a failed tool call. */
async function withSession(): Promise<Recorded> {
  const tenant = await createOrganization();
  await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
  const mcp = await connectSharedClient(tenant, { "x-mcp-toolsets": "all", "x-api-key": tenant.ingestKey });
  const headers = { "x-api-key": tenant.ingestKey };
  const [session, turn] = [randomUUID(), randomUUID()];
  const record = async (events: object[]) => {
    const body = { events: events.map((event) => ({ event_id: randomUUID(), session_id: session, ...event })) };
    const reply = await rest(tenant.url, "POST", "/api/v1/capture-events", { headers, body });
    expect(reply.body["rejected"], JSON.stringify(reply.body)).to.equal(0);
  };
  const user_data = { user_id: "user-7", plan: "pro" };
  await rest(tenant.url, "POST", "/api/v1/capture-session", { headers, body: { session_id: session, user_data } });
  await record([
    {
      event_id: turn,
      primitive_name: "support-bot",
      args: "What broke the build?",
      result: "The parser.",
      latency: 900,
    },
    { parent_id: turn, primitive_name: "run_tests", args: `{"path":"."}`, ...failure(30_000) },
  ]);
  return { ...tenant, ...mcp, record, session, turn };
}

const failure = (ms: number) => ({
  success: false,
  result: JSON.stringify({ error: { message: `timeout after ${ms} ms` } }),
  metadata: { "checkpoint.start": 1_000, "checkpoint.compiled": 1_400, "checkpoint.end": 2_000 },
});

describe("the MCP tools about recorded sessions:", () => {
  it("list_sessions shows the agent and the first prompt of each session, in at most 100 tokens per row", async () => {
    const { call, record } = await withSession();
    const [row] = (await call("list_sessions")).data.sessions;
    expect(row).to.include({ agent: "support-bot", prompt: "What broke the build?" });
    const args = "Say everything that there is to say about it, and then the same again in other words. ".repeat(9);
    for (let n = 0; n < 9; n += 1)
      await record([{ session_id: randomUUID(), primitive_name: `agent-${n}`, args, result: "" }]);
    const { data, text } = await call("list_sessions");
    expect(data.sessions).to.have.length(10);
    expect(data.sessions[0].prompt).to.have.length(80);
    expect(countTokens(text)).to.be.at.most(1_000);
  });

  it("list_sessions filters by user, trait, agent, failure and time", async () => {
    const { call, session } = await withSession();
    const found = async (args: object) =>
      (await call("list_sessions", { ...args })).data.sessions.map(({ id }: { id: string }) => id);
    for (const args of [
      {},
      { user: "user-7" },
      { trait: "plan=pro" },
      { agent: "support-bot" },
      { failed: true },
      { since: "P1D" },
    ])
      expect(await found(args), JSON.stringify(args)).to.deep.equal([session]);
    for (const args of [{ user: "user-8" }, { trait: "plan=free" }, { failed: false }, { until: "P1D" }])
      expect(await found(args), JSON.stringify(args)).to.deep.equal([]);
  });

  it("get_session shows only the failures, with their turns", async () => {
    const { call, session, turn, record } = await withSession();
    await record([
      { parent_id: turn, primitive_name: "read_file", args: "README", result: "fine" },
      { primitive_name: "support-bot", args: "And now?", result: "Nothing failed." },
    ]);
    const { tree } = (await call("get_session", { session_id: session, failures_only: true })).data.session;
    expect(tree).to.include("What broke the build?").and.include("FAILED run_tests");
    expect(tree).to.not.include("read_file").and.not.include("And now?");
  });

  it("list_sessions sorts by failures, cost and duration, highest first", async () => {
    const { call, session, ...tenant } = await withSession();
    const headers = { "x-api-key": tenant.ingestKey };
    const quiet = { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "bot", args: "", result: "" };
    await rest(tenant.url, "POST", "/api/v1/capture-event", { headers, body: quiet });
    await rollUpTotals((await startSharedServer()).runtime.db);
    for (const sort of ["failures", "duration"]) {
      const { sessions } = (await call("list_sessions", { sort })).data;
      expect(
        sessions.map(({ id }: { id: string }) => id),
        sort,
      ).to.deep.equal([session, quiet.session_id]);
    }
    expect((await call("list_sessions", { sort: "cost" })).data.sessions).to.have.length(2);
  });

  it("search_sessions finds a text, reports how much it read, and continues from its stop", async () => {
    const { call, record, session } = await withSession();
    const { data } = await call("search_sessions", { text: "TIMEOUT AFTER" });
    expect(data.hits).to.have.length(1);
    expect(data.hits[0]).to.include({ session_id: session, name: "run_tests", failed: true, in: "result" });
    expect(data.hits[0].text).to.contain("timeout after 30000 ms");
    expect(data).to.include({ events_read: 2 }).and.not.have.any.keys("stopped_at", "next_cursor");
    for (const none of [{ agent: "nobody" }, { user: "user-8" }, { until: "P1D", since: "P2D" }])
      expect((await call("search_sessions", { text: "timeout", ...none })).data.hits).to.deep.equal([]);
    await record(Array.from({ length: 12 }, (_, n) => ({ primitive_name: "w", args: `w${n} needle`, result: "" })));
    const first = (await call("search_sessions", { text: "needle", agent: "support-bot", limit: 10 })).data;
    expect([first.hits.length, first.events_read]).to.deep.equal([10, 10]);
    expect(first.stopped_at).to.equal(first.hits.at(-1).at);
    const { data: rest } = await call("search_sessions", { text: "needle", cursor: first.next_cursor });
    expect([rest.hits.length, rest.next_cursor]).to.deep.equal([2, undefined]);
    const { text, isError } = await call("search_sessions", { text: "x", since: "P40D" });
    expect([isError, text]).to.deep.equal([true, text]);
    expect(text).to.contain("31 days");
  });

  it("get_session shows a tree with failures, durations and milestones", async () => {
    const { call, session } = await withSession();
    const { tree, ...about } = (await call("get_session", { session_id: session })).data.session;
    expect(about).to.deep.include({ user: "user-7", traits: { plan: "pro" }, events: 2, failures: 1 });
    expect(tree).to.match(/^support-bot 900 ms at .*\n {2}user: What broke the build\?\n/);
    expect(tree).to.match(/\n {2}FAILED run_tests \[.{36}\] \{"path":"\."\} → .*timeout after 30000 ms/);
    expect(tree).to.contain("start +0 ms, compiled +400 ms (400 ms, 40 %), end +1000 ms (600 ms, 60 %)");
    expect(tree).to.match(/\n {2}reply: The parser\.$/);
  });

  it("get_session shows files and commits, and leaves them out when there are none", async () => {
    const { call, record, session } = await withSession();
    expect((await call("get_session", { session_id: session })).data.session).to.not.have.any.keys("files", "commits");
    const tool = (primitive_name: string, args: object, result: string) => ({
      primitive_type: "tool",
      primitive_name,
      args: JSON.stringify(args),
      result,
    });
    await record([
      tool("Edit", { file_path: "/app/src/a.ts", old_string: "a", new_string: "b\nc" }, "{}"),
      tool("Bash", { command: "git commit -m x" }, "[main 1a2b3c4] Mend it"),
      ...Array.from({ length: 25 }, (_, n) => tool("Write", { file_path: `/app/${n}.ts`, content: "x" }, "{}")),
    ]);
    const { files, commits } = (await call("get_session", { session_id: session })).data.session;
    expect(commits).to.deep.equal(["1a2b3c4 Mend it"]);
    expect(files).to.have.length(21);
    expect(files).to.include("/app/24.ts +1 -0").and.include("…");
  });

  it("get_session truncates a long session, and its cursor continues from there", async () => {
    const { call, record, session } = await withSession();
    const turns = Array.from({ length: 200 }, (_, n) => ({
      ...{ primitive_name: "support-bot", args: `Question ${n} ${"x".repeat(500)}`, result: "y".repeat(500) },
      timestamp: Date.now() + n,
    }));
    await record(turns);
    const first = (await call("get_session", { session_id: session })).data;
    expect(first.session.tree.length).to.be.at.most(12_000);
    const second = (await call("get_session", { session_id: session, cursor: first.next_cursor })).data;
    const last = (tree: string) => Number([...tree.matchAll(/Question (\d+)/g)].at(-1)?.[1]);
    const [next] = /Question (\d+)/.exec(second.session.tree)?.slice(1) ?? [];
    expect(Number(next)).to.equal(last(first.session.tree) + 1);
  });

  it("get_session shows a session of very long texts like any other", async () => {
    const { call, record, session } = await withSession();
    const turn = { primitive_name: "support-bot", args: "z".repeat(1_000_000), result: "y".repeat(1_000_000) };
    for (let sent = 0; sent < 20; sent += 4) await record(Array.from({ length: 4 }, () => turn));
    const { tree, events } = (await call("get_session", { session_id: session })).data.session;
    expect(events).to.equal(22);
    expect(tree).to.match(/user: z{40,}…/);
  });

  it("get_event shows one complete call", async () => {
    const { call, session, turn } = await withSession();
    const { event } = (await call("get_event", { event_id: turn })).data;
    expect(event).to.deep.include({ session_id: session, name: "support-bot", success: true, result: "The parser." });
  });

  it("capture_turn records a turn with its calls, in a new session", async () => {
    const { call } = await withSession();
    const session_id = randomUUID();
    const tool = { name: "search", args: "{}", result: "[]", latency: 12 };
    const said = { user_id: "u", agent: "bot", user_message: "Hello", reply: "Hi", tool_calls: [tool] };
    const { turn } = (await call("capture_turn", { session_id, ...said })).data;
    expect(turn.tool_event_ids).to.have.length(1);
    const { tree, user } = (await call("get_session", { session_id })).data.session;
    expect(user).to.equal("u");
    expect(tree).to.match(/user: Hello\n {2}search 12 ms \{\} → \[\]\n {2}reply: Hi$/);
  });

  it("capture_turn exists only with an ingest key, and reports invalid input", async () => {
    const { call, url, apiKey } = await withSession();
    const { client } = await connectSharedClient({ url, apiKey });
    expect((await client.listTools()).tools.map(({ name }) => name)).to.not.include("capture_turn");
    const said = { session_id: "nonsense", user_id: "u", agent: "bot", user_message: "Hello", reply: "Hi" };
    expect((await call("capture_turn", said)).text).to.match(/no UUID/);
  });

  it("create_issue_from_session files one issue per failure group, and comments when the failure recurs", async () => {
    const { call, record, session, turn } = await withSession();
    const report = async () =>
      (await call("create_issue_from_session", { session_id: session, team: "ENG" })).data.reports;
    const [first] = await report();
    expect(first).to.include({ issue: "ENG-1", status: "created", title: "run_tests: timeout after 30000 ms" });
    expect((await report())[0]).to.include({ issue: "ENG-1", status: "known" });
    await call("update_issue", { issue: "ENG-1", state: "Done" });
    expect((await report())[0]).to.include({ issue: "ENG-1", status: "known" });
    await record([{ parent_id: turn, primitive_name: "run_tests", args: "{}", ...failure(31_000) }]);
    expect((await report())[0]).to.include({ issue: "ENG-1", status: "reopened" });
    await call("update_issue", { issue: "ENG-1", state: "Canceled" });
    await record([{ parent_id: turn, primitive_name: "run_tests", args: "{}", ...failure(32_000) }]);
    expect((await report())[0]).to.include({ issue: "ENG-2", status: "created" });
    const other = { primitive_name: "deploy", args: "{}", success: false, result: "permission denied" };
    await record([{ parent_id: turn, ...other }]);
    expect((await report()).map(({ status }: { status: string }) => status)).to.deep.equal(["known", "created"]);
  });

  it("create_issue_from_session comments on the issue of the same failure in another session, also concurrently", async () => {
    const { call, record, session } = await withSession();
    const another = randomUUID();
    await record([
      { session_id: another, primitive_name: "run_tests", args: "{}", primitive_type: "tool", ...failure(5) },
    ]);
    const report = async (session_id: string) =>
      (await call("create_issue_from_session", { session_id, team: "ENG" })).data.reports[0];
    const both = await Promise.all([report(session), report(another)]);
    expect(both.map(({ issue }) => issue)).to.deep.equal(["ENG-1", "ENG-1"]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal(["commented", "created"]);
    expect((await call("get_issue", { issue: "ENG-1" })).data.issue.comments[0].body).to.match(
      /^Seen again in session/,
    );
  });

  it("list_failures says that it is incomplete until older failures are grouped", async () => {
    const { call } = await withSession();
    expect((await call("list_failures")).data).to.deep.include({ incomplete: true });
    const { runtime } = await startSharedServer();
    await updateHourAndGroupCounts(runtime);
    const { data } = await call("list_failures");
    expect(data).to.not.have.property("incomplete");
    expect(data.failures[0]).to.include({ tool: "run_tests", count: 1 });
  });

  it("tracker://session returns the same as get_session, is completed, and is attached to prompts", async () => {
    const { client, session } = await withSession();
    const { contents } = await client.readResource({ uri: `tracker://session/${session}` });
    expect(contents[0]).to.have.property("text").that.contains("FAILED run_tests");
    const ref = { type: "ref/prompt" as const, name: "review_session" };
    const { completion } = await client.complete({ ref, argument: { name: "session_id", value: session.slice(0, 8) } });
    expect(completion.values).to.deep.equal([session]);
    const { messages } = await client.getPrompt({ name: "review_session", arguments: { session_id: session } });
    expect(messages[1]?.content).to.have.nested.property("resource.uri", `tracker://session/${session}`);
  });
});
