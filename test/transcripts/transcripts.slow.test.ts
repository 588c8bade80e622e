import { expect } from "chai";
import { readSession, toEventTree } from "../support/recording/observed-sessions.ts";
import { importRunFiles, postLines, recordLive } from "../support/recording/transcripts.ts";
import { callRestApi, createOrganization, type Tenant } from "../support/server.ts";

const CLAUDE = "claude-code-2.1.330";

/**
 * Recorded runs of real programs, with an earlier run of the same session. `isPart`: the telemetry contains less than
 * the transcript.
 */
const RUNS: readonly { agent: string; run: string; before?: string; cut: RegExp; isPart?: true }[] = [
  { agent: "claude-code", run: `${CLAUDE}/plain`, cut: /^(?:PostToolUse|PostToolBatch|PreToolUse|Stop)/ },
  { agent: "claude-code", run: `${CLAUDE}/subagent`, cut: /^(?:PostToolUse|PostToolBatch|Subagent|Stop)/ },
  { agent: "claude-code", run: `${CLAUDE}/compacted`, before: `${CLAUDE}/plain`, cut: /^(?:Stop|PostToolUseFailure)/ },
  { agent: "codex", run: "codex-0.169.0/plain", cut: /^(?:PostToolUse|Stop)/ },
  { agent: "gemini-cli", run: "gemini-cli-0.61.0/plain", cut: /^(?:AfterTool|AfterAgent)/ },
  { agent: "qwen-code", run: "qwen-code-0.24.4/plain", cut: /./, isPart: true },
  { agent: "github-copilot", run: "github-copilot-1.0.102/plain", cut: /./, isPart: true },
  { agent: "codex", run: "codex-0.169.0/subagent", cut: /^(?:PostToolUse|Subagent|Stop)/ },
  { agent: "gemini-cli", run: "gemini-cli-0.61.0/subagent", cut: /^(?:AfterTool|AfterAgent)/, isPart: true },
  { agent: "qwen-code", run: "qwen-code-0.24.4/subagent", cut: /^(?:PostToolUse|Stop)/, isPart: true },
  { agent: "github-copilot", run: "github-copilot-1.0.102/subagent", cut: /./, isPart: true },
];

/**
 * Returns everything that an organization has recorded as one session, because a subagent of Codex is a separate
 * session.
 */
async function readAll(tenant: Tenant): Promise<any> {
  const { recordedSessions } = await tenant.gql("{ recordedSessions(first: 50) { nodes { id } } }");
  const [first, ...others] = await Promise.all(recordedSessions.nodes.map(({ id }: any) => readSession(tenant, id)));
  const totals = { ...first.totals };
  for (const other of others) for (const key of COUNTS) totals[key] += other.totals[key];
  return { ...first, totals, events: [first, ...others].flatMap(({ events }) => events) };
}

const COUNTS = ["events", "failures", "turns", "toolCalls", "inputTokens", "outputTokens", "cacheReadTokens"];

/** Returns a session as a reader sees the session. */
const shownOf = (session: any) => ({ totals: session.totals, tree: toEventTree(session) });
const idsOf = (session: any): string[] => session.events.map(({ id }: any) => id).sort();

/**
 * Returns the events without model requests. Only log records contain the requests that an agent makes internally,
 * such as for a compaction.
 */
const told = ({ events }: any): string[] =>
  events
    .filter(({ kind }: any) => kind !== "llm")
    .map(({ kind, primitiveName, args, success }: any) => [kind, primitiveName, args, success].join(" "));

/** Returns the session from the complete live recording of a run. */
async function recorded({ agent, run, before }: (typeof RUNS)[number]) {
  const tenant = await createOrganization();
  if (before) await recordLive(tenant, agent, before);
  await recordLive(tenant, agent, run);
  return { tenant, session: await readAll(tenant) };
}

describe("the transcript of a session", () => {
  const imported = async ({ agent, run }: (typeof RUNS)[number]) => {
    const tenant = await createOrganization();
    await importRunFiles(tenant, agent, run);
    return { session: await readAll(tenant) };
  };

  const withSubagents = RUNS.filter(({ run }) => run.endsWith("/subagent"));
  for (const [way, each, read] of [
    ...withSubagents.map((run) => ["while it was recorded", run, recorded] as const),
    ...withSubagents.map((run) => ["imported alone", run, imported] as const),
  ]) {
    it(`contains the subagent with its calls and its reply, ${way}: ${each.run}`, async () => {
      const { events } = (await read(each)).session;
      const subagents = events.filter(({ kind }: any) => kind === "subagent");
      expect(subagents.map(({ success, open }: any) => [success, open])).to.deep.equal([[true, false]]);
      expect(subagents[0].result).to.match(/The errand is done|one command printed hello/);
      const turns = events.filter(({ kind, args }: any) => kind === "turn" && /^Run an errand/.test(args));
      const around = [...subagents, ...turns].map(({ id }: any) => id);
      const inner = events.filter(({ kind, parentId }: any) => kind === "tool" && around.includes(parentId));
      expect(inner.map(({ args }: any) => args).join()).to.match(/echo (?:inner|hello)/);
      const requests = events.filter(({ kind, parentId }: any) => kind === "llm" && around.includes(parentId));
      expect(requests.length).to.be.at.least(each.agent === "claude-code" ? 1 : 2);
      expect(events.filter(({ kind, parentId }: any) => kind !== "turn" && parentId === null)).to.deep.equal([]);
    });
  }

  for (const each of RUNS) {
    const { agent, run, cut, isPart } = each;

    it(`adds nothing to a complete live recording: ${run}`, async () => {
      const { tenant, session } = await recorded(each);
      await importRunFiles(tenant, agent, run);
      const after = await readAll(tenant);
      expect(told(after)).to.have.members(told(session));
      if (isPart) return;
      expect(idsOf(after)).to.deep.equal(idsOf(session));
      expect(shownOf(after)).to.deep.equal(shownOf(session));
    });

    it(`completes a truncated recording: ${run}`, async () => {
      const { session } = await recorded(each);
      const tenant = await createOrganization();
      await recordLive(tenant, agent, run, { hooks: (hook) => !cut.test(hook.hook_event_name), telemetry: false });
      await importRunFiles(tenant, agent, run);
      const completed = await readAll(tenant);
      expect(told(completed)).to.include.members(told(session));
      const { turns, toolCalls, failures } = session.totals;
      expect(completed.totals).to.include({ turns, toolCalls, failures });
      expect(completed.events.filter(({ open }: any) => open)).to.deep.equal([]);
    });

    it(`gives the same result line by line, at once, and twice: ${run}`, async () => {
      const [one, many] = [await createOrganization(), await createOrganization()];
      await importRunFiles(one, agent, run, { atOnce: 1 });
      await importRunFiles(many, agent, run, { atOnce: 7 });
      await importRunFiles(many, agent, run);
      const [first, second] = [await readAll(one), await readAll(many)];
      expect(shownOf(second)).to.deep.equal(shownOf(first));
      expect(second.events.length).to.be.above(4);
    });
  }
});

describe("the transcript of requests without ids from a gateway", () => {
  const edit = (text: string) => text.replace(/"request_?id"/gi, '"unknown"');

  for (const run of [`${CLAUDE}/plain`, `${CLAUDE}/subagent`]) {
    it(`joins the live recording in either order: ${run}`, async () => {
      const [live, both, turned] = [await createOrganization(), await createOrganization(), await createOrganization()];
      await recordLive(live, "claude-code", run, { edit });
      await recordLive(both, "claude-code", run, { edit });
      await importRunFiles(both, "claude-code", run, { edit });
      await importRunFiles(turned, "claude-code", run, { edit });
      await recordLive(turned, "claude-code", run, { edit });
      const [whole, after, other] = [await readSession(live), await readSession(both), await readSession(turned)];
      expect(idsOf(after)).to.deep.equal(idsOf(whole));
      expect(shownOf(after)).to.deep.equal(shownOf(whole));
      expect(shownOf(other).totals).to.deep.equal(shownOf(whole).totals);
    });
  }
});

describe("the transcript of Pi, which has no hooks", () => {
  it("gives a session with its cost, calls and reply", async () => {
    const tenant = await createOrganization();
    await importRunFiles(tenant, "pi", "pi-0.73.1/plain");
    const session = await readSession(tenant);
    expect(session).to.deep.include({ source: "pi", metadata: { cwd: "/home/ada/project" } });
    expect(session.totals).to.include({ turns: 1, toolCalls: 2, failures: 2, inputTokens: 2400, cost: 0.0026 });
    const [turn] = session.events.filter(({ kind }: any) => kind === "turn");
    const result = "Done: one command printed hello, the other failed.";
    expect(turn).to.include({ args: "Run echo hello and read a missing file.", result, open: false });
  });
});

describe("a late transcript", () => {
  it("is skipped with a message if older than the organization's retention", async () => {
    const tenant = await createOrganization();
    const mutation = `mutation ($input: OrganizationUpdateInput!) { organizationUpdate(input: $input) { success } }`;
    await tenant.gql(mutation, {
      input: { retentionSessionDays: 30, retentionAgents: [{ agent: "codex", sessionDays: 400 }] },
    });
    const old = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const prompt = (sessionId: string, days: number) =>
      JSON.stringify({
        type: "user",
        sessionId,
        promptId: sessionId,
        timestamp: old(days),
        message: { content: "Hello" },
      });
    const { accepted, rejected } = await postLines(tenant, "claude-code", [prompt("past", 31), prompt("present", 29)]);
    expect(accepted).to.equal(1);
    expect(rejected).to.deep.equal([{ line: 0, reason: "is older than the 30 days that such sessions stay" }]);
    const started = { type: "task_started", turn_id: "t" };
    const codex = [
      { type: "session_meta", timestamp: old(31), payload: { id: "s" } },
      { type: "event_msg", timestamp: old(31), payload: started },
    ];
    const lines = codex.map((line) => JSON.stringify(line));
    expect((await postLines(tenant, "codex", lines)).rejected).to.deep.equal([]);
  });

  it("is refused with the reason, for any content", async () => {
    const tenant = await createOrganization();
    const hostile = [
      "null",
      "[]",
      '"text"',
      `${'{"a":'.repeat(100)}1${"}".repeat(100)}`,
      '{"type":"user","message":[1],"sessionId":7}',
    ];
    for (const agent of ["claude-code", "codex", "gemini-cli"]) {
      const { accepted, rejected } = await postLines(tenant, agent, hostile, { atOnce: 1 });
      expect([accepted, rejected.map(({ line }) => line)]).to.deep.equal([0, [0, 1, 2, 3]]);
    }
    const post = (body: object, key = tenant.ingestKey) =>
      callRestApi(tenant.url, "POST", "/api/v1/transcripts/codex", { headers: { "x-api-key": key }, body });
    expect((await post({ lines: Array(1_001).fill("{}") })).status).to.equal(400);
    expect((await post({ lines: "text" })).status).to.equal(400);
    expect((await post({ lines: [], state: { turn: [], answer: "x", reply: 7 }, end: true })).status).to.equal(200);
    expect((await post({ lines: [] }, `sk_${"0".repeat(64)}`)).status).to.equal(401);
  });
});
