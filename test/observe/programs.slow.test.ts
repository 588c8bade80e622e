import { expect } from "chai";
import { closeEventsOfSilentSessions } from "../../server/ingest/observe/silence.ts";
import { createAgentRun, listCapturedBodies, replayRun } from "../support/recording/agent-runs.ts";
import { createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import {
  postOtlp,
  readOtlpFixture,
  readStoredTrees,
  type StoredNode,
  sendFixtures,
  splitIntoRecords,
  writeOutline,
} from "../support/recording/otlp.ts";
import { recordTelemetry } from "../support/recording/telemetry.ts";
import { createOrganization, startSharedServer, waitUntilFolded } from "../support/server.ts";

// Bodies that real programs sent when connected, and the rows that the server must store for them. The bodies are
// fixtures. A program without a captured body has no test yet.

const PROMPT = "Run echo hello and read a missing file. [two]";
const DONE = "Done: one command printed hello, the other failed.";

/** Posts telemetry in a fresh organization. Returns the rows as they are `seconds` later. */
async function recorded(
  names: readonly string[],
  seconds?: number,
): Promise<{ trees: StoredNode[]; writer: IngestWriter }> {
  const writer = await createWriter();
  await sendFixtures(writer, names);
  await waitUntilFolded((await startSharedServer()).runtime, writer.organizationId);
  if (seconds !== undefined) await seen(seconds);
  return { trees: await readStoredTrees(writer.organizationId), writer };
}

type Body = ReturnType<typeof splitIntoRecords>[number];

/** Posts single spans or log records. Returns the rows as they are `seconds` later. */
async function posted(bodies: readonly Body[], seconds = 0): Promise<StoredNode[]> {
  const writer = await createWriter();
  for (const { signal, body } of bodies) await postOtlp(writer, `/v1/${signal}`, body);
  await waitUntilFolded((await startSharedServer()).runtime, writer.organizationId);
  await seen(seconds);
  return readStoredTrees(writer.organizationId);
}

/** Runs the jobs as if some seconds had passed. */
const seen = async (seconds: number) =>
  closeEventsOfSilentSessions((await startSharedServer()).runtime.db, Date.now() + seconds * 1_000);

async function sessionsOf({ organizationId }: IngestWriter): Promise<object[]> {
  const { db } = (await startSharedServer()).runtime;
  const text = `select external_id as id, source, user_id as user, turns::integer as turns from recorded_session
    where organization_id = $1 order by external_id`;
  return db.query({ text, values: [organizationId] });
}

/** The agent in which the orphan's trace began. */
const AROUND = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: "aa000000000000000000000000000009",
              spanId: "dd00000000000001",
              startTimeUnixNano: "1795408270000000000",
              endTimeUnixNano: "1795408272000000000",
              attributes: [
                { key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } },
                { key: "gen_ai.agent.name", value: { stringValue: "chat" } },
              ],
            },
          ],
        },
      ],
    },
  ],
};

const flat = (nodes: readonly StoredNode[]): StoredNode[] => nodes.flatMap((node) => [node, ...flat(node.children)]);

describe("captured run of a real program:", () => {
  it("Claude Code 2.1.330, hooks and log records: a subagent in the background", async () => {
    const hooks = listCapturedBodies(
      "agents/claude-2.1.330/subagent",
      "01 02 03 04 05 06 10 11 12 13 14 15 16 18 20 21 22 24 26 28 32",
    );
    const logs = listCapturedBodies("otlp/claude-2.1.330/subagent", "08 25 30");
    const run = createAgentRun("claude-code", {}, { hooks, logs, spans: [] });
    for (const paths of [
      [...hooks, ...logs],
      [...logs, ...hooks.toReversed()],
    ]) {
      const { session, tree } = await replayRun(run, paths);
      const subagent = session.events.find(({ kind }: { kind: string }) => kind === "subagent");
      expect(subagent).to.include({ primitiveName: "general-purpose", latency: 719, result: DONE, success: true });
      const [turn] = tree.filter(({ args }) => args?.includes("Have a subagent"));
      expect(turn?.result).to.equal("Done: the subagent ran.");
      const call = turn?.under?.find(({ name }) => name === "Agent");
      const kinds = call?.under?.[0]?.under?.map(({ kind, name, failed }) => [kind, name, failed !== undefined]);
      expect(kinds).to.have.deep.members([
        ["llm", "claude-opus-5-5", false],
        ["llm", "claude-opus-5-5", false],
        ["tool", "Bash", false],
        ["tool", "Bash", true],
      ]);
      expect(turn?.under?.filter(({ kind }) => kind === "llm")).to.have.length(2);
    }
  });

  it("Claude Code 2.1.330, hooks and log records: SIGINT ends the turn", async () => {
    const hooks = listCapturedBodies("agents/claude-2.1.330/interrupted", "01 02 03 08");
    const logs = listCapturedBodies("otlp/claude-2.1.330/interrupted", "05");
    const run = createAgentRun("claude-code", {}, { hooks, logs, spans: [] });
    for (const paths of [
      [...hooks, ...logs],
      [...logs, ...hooks],
    ]) {
      const { session } = await replayRun(run, paths);
      const turn = session.events.find(({ kind }: { kind: string }) => kind === "turn");
      expect(turn).to.include({ success: false, open: false, args: "Sleep a while. [slow]" });
      expect(turn.errorMessage).to.equal("Interrupted: the session ended before this turn did.");
      expect(turn.latency).to.be.within(1_000, 60_000);
      expect(session.totals).to.include({ turns: 1, failures: 2 });
    }
  });

  it("hooks of Claude Code and Codex, spans of Gemini CLI: outputs that the agent truncated are marked", async () => {
    const nothing = { logs: [], spans: [] };
    const runs = [
      createAgentRun("claude-code", {}, { ...nothing, hooks: listCapturedBodies("agents/claude", "28") }),
      createAgentRun("codex", {}, { ...nothing, hooks: listCapturedBodies("agents/codex", "21") }),
      createAgentRun("claude-code", {}, { ...nothing, hooks: listCapturedBodies("agents/claude", "06") }),
      createAgentRun("codex", {}, { ...nothing, hooks: listCapturedBodies("agents/codex", "06") }),
    ];
    const marked = [];
    for (const run of runs) {
      const { session } = await replayRun(run, run.bodies.hooks);
      marked.push(session.events.find(({ kind }: { kind: string }) => kind === "tool").metadata?.truncated);
    }
    expect(marked).to.deep.equal([["result"], ["result"], undefined, undefined]);
    const cut = (text: string) => `${text.slice(0, 60)}...[TRUNCATED: original length ${text.length}]`;
    const { trees } = await recordTelemetry([
      {
        id: 1,
        name: "tool_call",
        at: {
          ...{
            "gen_ai.agent.name": "gemini-cli",
            "session.id": "s",
            "gen_ai.tool.name": "t",
            "gen_ai.tool.call_id": "c",
          },
          "gen_ai.input.messages": cut(JSON.stringify({ args: { text: "x".repeat(100) } })),
          "gen_ai.output.messages": cut(JSON.stringify({ response: { resultDisplay: "y".repeat(100) } })),
        },
      },
    ]);
    expect(trees[0]?.["metadata"]).to.deep.equal({ truncated: ["args", "result"] });
    expect(trees[0]?.["result"]).to.include("yyy");
  });

  it("Codex with the documented [otel] block: one turn with its calls, in either order of logs and spans", async () => {
    for (const names of [listCapturedBodies("otlp/codex", "33 34 32"), listCapturedBodies("otlp/codex", "34 32 33")]) {
      const { trees } = await recorded(names.map((name) => name.replace("otlp/", "")));
      expect(writeOutline(trees)).to.equal(
        "turn codex\n  llm gpt-5\n  tool exec_command\n  tool exec_command failed\n  llm gpt-5\n",
      );
      expect(trees[0]).to.include({ args: PROMPT, result: DONE, open: false });
    }
  });

  it("Codex with the documented [otel] block: the same turn when the prompt arrives first without a trace", async () => {
    const [logs, ...traces] = listCapturedBodies("otlp/codex", "32 33 34").map((name) =>
      readOtlpFixture(name.replace("otlp/", "")),
    );
    const sent = JSON.parse(String(logs?.bytes));
    const [scope] = sent.resourceLogs[0].scopeLogs;
    const isPrompt = (record: object) => JSON.stringify(record).includes('"codex.user_prompt"');
    const [prompt] = scope.logRecords.filter(isPrompt);
    const withRecords = (logRecords: object[]): Body => {
      scope.logRecords = logRecords;
      return { signal: "logs", body: Buffer.from(JSON.stringify(sent)) };
    };
    const rest = withRecords(scope.logRecords.filter((record: object) => !isPrompt(record)));
    const first = withRecords([{ ...prompt, traceId: "", spanId: "" }]);
    const bodies = [first, rest, ...traces.map(({ signal, bytes }): Body => ({ signal, body: bytes }))];
    for (const order of [bodies, bodies.toReversed()]) {
      const trees = await posted(order);
      expect(writeOutline(trees)).to.equal(
        "turn codex\n  llm gpt-5\n  tool exec_command\n  tool exec_command failed\n  llm gpt-5\n",
      );
      expect(trees[0]).to.include({ args: PROMPT, result: DONE, open: false });
    }
  });

  it("Codex, log records alone (otlp/codex/31): one turn with prompt, calls and reply", async () => {
    const records = splitIntoRecords("codex/31-documented-otlp-logs.json");
    for (const bodies of [records, records.toReversed()]) {
      const trees = await posted(bodies);
      expect(writeOutline(trees)).to.equal(
        "turn codex\n  llm gpt-5\n  tool exec_command\n  tool exec_command failed\n  llm gpt-5\n",
      );
      expect(trees[0]).to.include({ args: PROMPT, result: DONE, open: false });
      expect(trees[0]?.["latency"]).to.be.within(100, 120);
    }
  });

  it("Codex, log records alone: a prompt without an end is an open turn with its calls", async () => {
    const records = splitIntoRecords("codex/31-documented-otlp-logs.json");
    const trees = await posted(records.slice(0, -1));
    expect(writeOutline(trees)).to.equal(
      "turn codex\n  llm gpt-5\n  tool exec_command\n  tool exec_command failed\n  llm gpt-5\n",
    );
    expect(trees[0]).to.include({ args: PROMPT, open: true });
  });

  it("Gemini CLI, log records alone: shows the last reply until the turn is known to be over", async () => {
    const records = splitIntoRecords("gemini/14-otlp-logs.json");
    const isReply = (body: Buffer) => body.includes("gemini_cli.api_response") && body.includes("Done: one command");
    const trees = await posted(records.filter(({ body }) => !isReply(body)));
    expect(trees[0]).to.include({ kind: "turn", open: true, result: "I will run two commands." });
  });

  it("Gemini CLI, log records alone (otlp/gemini/14): the turn ends with the program", async () => {
    for (const order of [1, -1]) {
      const records = splitIntoRecords("gemini/14-otlp-logs.json");
      const [turn] = await posted(order === 1 ? records : records.toReversed());
      expect(turn).to.include({ kind: "turn", open: false, result: DONE, latency: 740 });
    }
  });

  it("Qwen Code 0.15.10, telemetry: one turn with its calls, replies and tokens", async () => {
    const { trees, writer } = await recorded(["qwen/01-otlp-logs.json", "qwen/02-otlp-logs.json"]);
    expect(writeOutline(trees)).to.equal(
      "turn qwen-code\n  llm scripted-1\n  tool run_shell_command\n  tool run_shell_command\n  llm scripted-1\n",
    );
    expect(trees[0]).to.include({ args: "first [two]", result: DONE });
    expect(
      flat(trees)
        .filter(({ kind }) => kind === "llm")
        .map(({ input, output, cacheRead }) => [input, output, cacheRead]),
    ).to.deep.equal([
      [1200, 50, 400],
      [1201, 51, 400],
    ]);
    expect(await sessionsOf(writer)).to.have.length(1);
  });

  it("Qwen Code 0.24.4, telemetry with spans: one turn with its calls and the failed command", async () => {
    for (const names of [
      ["qwen-0.24.4/01-otlp-logs.json", "qwen-0.24.4/02-otlp-traces.json"],
      ["qwen-0.24.4/02-otlp-traces.json", "qwen-0.24.4/01-otlp-logs.json"],
    ]) {
      const { trees } = await recorded(names);
      expect(writeOutline(trees)).to.equal(
        "turn qwen-code\n  llm scripted-1-2026\n  tool run_shell_command\n  tool run_shell_command failed\n  llm scripted-1-2026\n",
      );
      expect(trees[0]).to.include({ args: "Run echo hello and read a missing file.", result: DONE, open: false });
      expect(flat(trees).find(({ success }) => !success)?.["error"]).to.match(/^Command: cat .nonexistent/);
    }
  });

  it("AI SDK 7 with runtimeContext: one turn with its steps, in the session and of the user of the context", async () => {
    const { trees, writer } = await recorded(["sdk/ai-7-otlp-traces.json"]);
    expect(writeOutline(trees)).to.equal(
      "turn weather-agent\n  other step 1\n  llm mock-1\n  tool get_weather\n  tool broken failed\n  llm mock-1\n  other step 2\n",
    );
    expect(trees[0]).to.include({ args: "Weather in Paris?" });
    expect(await sessionsOf(writer)).to.deep.equal([
      { id: "chat-7", source: "unknown_service:node", user: "ada", turns: 1 },
    ]);
  });

  it("AI SDK 5 through Laminar: two turns with prompts and replies in one session", async () => {
    const { trees, writer } = await recorded(["sdk/ai-5-laminar-otlp-traces.json"]);
    const turns = trees.filter(({ kind }) => kind !== "other");
    expect(turns.map(({ kind, args, result }) => [kind, args, result])).to.deep.equal([
      ["turn", "weather [weather]", "Sunny in Paris."],
      ["turn", "weather [weather]", "Sunny in Paris."],
    ]);
    expect(await sessionsOf(writer)).to.have.length(1);
  });

  it("LangChain through OpenInference: one turn with its tool, session and user", async () => {
    const { trees, writer } = await recorded(["sdk/langchain-otlp-traces.json"]);
    expect(writeOutline(trees)).to.equal("turn helper\n  llm scripted-1\n  tool get_weather\n  llm scripted-1\n");
    expect(trees[0]).to.include({ args: "Weather in Paris?", result: DONE });
    expect(flat(trees).find(({ kind }) => kind === "tool")).to.include({ args: "Paris", result: "sunny" });
    expect(await sessionsOf(writer)).to.deep.equal([{ id: "chat-lc", source: "weather", user: "ada", turns: 1 }]);
  });

  it("OpenLLMetry: a workflow is one turn with its tool and model call", async () => {
    const { trees } = await recorded(["sdk/traceloop-workflow-otlp-traces.json"]);
    expect(writeOutline(trees)).to.equal("turn weather-agent\n  tool get_weather\n  llm scripted-1-2026\n");
    expect(trees[0]).to.include({ args: "Weather in Paris?", result: "Sunny in Paris." });
  });

  it("opencode 1.18.33: stores the failed command, the prompt and the agent's name", async () => {
    const { trees, writer } = await recorded(["opencode/01-otlp-traces.json"], 31);
    const tools = flat(trees).filter(({ kind }) => kind === "tool");
    expect(
      tools.map(({ name, success, result }) => [name, success, String(result).includes("No such file")]),
    ).to.deep.equal([
      ["bash", true, false],
      ["bash", false, true],
    ]);
    const turns = trees.filter(({ kind }) => kind === "turn");
    expect(turns.map(({ name, args }) => [name, args])).to.deep.include([
      "opencode",
      "Run echo hello and read a missing file.",
    ]);
    expect(turns.map(({ result }) => result)).to.include(DONE);
    const [session] = await sessionsOf(writer);
    expect(session).to.include({ source: "opencode" });
  });

  it("opencode 1.18.33 (otlp/opencode/01): one turn per prompt, and none for the generated title", async () => {
    const spans = splitIntoRecords("opencode/01-otlp-traces.json");
    for (const bodies of [spans, spans.toReversed()]) {
      const trees = await posted(bodies, 31);
      expect(writeOutline(trees)).to.equal(
        `turn opencode
  other SessionPrompt.ensureTitle
    llm scripted-1-2026
  llm scripted-1-2026
  tool bash
  tool bash failed
  llm scripted-1-2026
`,
      );
      expect(trees[0]).to.include({ args: "Run echo hello and read a missing file.", result: DONE, open: false });
    }
  });

  it("an agent in another program's trace becomes a turn after a while, and a child once its parent arrives", async () => {
    const tenant = await createOrganization();
    const writer = { url: tenant.url, key: tenant.ingestKey };
    const { organizationId } = tenant;
    const found = async () => {
      const { recordedSessions } = await tenant.gql(
        `{ recordedSessions(filter: { agent: { eq: "helper2" } }) { nodes { totals { turns } brief { agent message open } } } }`,
      );
      return recordedSessions.nodes;
    };
    await sendFixtures(writer, ["sdk/orphan-agent-span-traces.json"]);
    const stored = async () => (await readStoredTrees(organizationId)).filter(({ kind }) => kind !== "other");
    const [agent] = await stored();
    expect(agent).to.include({ kind: "subagent", open: true });
    await seen(29);
    expect(await found()).to.deep.equal([]);
    await seen(31);
    const [turn] = await stored();
    expect(turn).to.include({ kind: "turn", name: "helper2", args: "hello there", open: false, latency: 1_000 });
    const brief = { agent: "helper2", message: "hello there", open: false };
    expect(await found()).to.deep.equal([{ totals: { turns: 1 }, brief }]);
    await seen(62);
    expect(await stored()).to.deep.equal([turn]);
    await postOtlp(writer, "/v1/traces", Buffer.from(JSON.stringify(AROUND)));
    expect(writeOutline(await stored())).to.equal("turn chat\n  other POST /chat\n  subagent helper2\n");
    expect(await found()).to.deep.equal([]);
  });
});
