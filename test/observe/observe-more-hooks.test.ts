import { readdirSync } from "node:fs";
import { expect } from "chai";
import { postHook, readSession, replayHooks, toEventTree } from "../support/recording/observed-sessions.ts";
import { createOrganization } from "../support/server.ts";

const PROMPT = "Run echo hello and read a missing file.";
const DONE = "Done: one command printed hello, the other failed.";

/** Reads the captured bodies of an agent in the order of arrival. */
const bodies = (folder: string) =>
  readdirSync(new URL(`../fixtures/agents/${folder}/`, import.meta.url))
    .sort()
    .map((name) => `${folder}/${name.replace(".json", "")}`);

describe("hooks of opencode 1.18.33", () => {
  it("become a turn with its calls and a subagent with its own, in any order", async () => {
    const names = bodies("opencode");
    for (const order of [names, names.toReversed()]) {
      const tenant = await createOrganization();
      await replayHooks(tenant, "opencode", order);
      const session = await readSession(tenant);
      const [turn, ...others] = toEventTree(session);
      expect(others).to.deep.equal([]);
      expect(turn)
        .to.include({ kind: "turn", name: "opencode", args: PROMPT, result: DONE })
        .and.not.to.have.property("open");
      const tools = turn?.under?.filter(({ kind }) => kind === "tool") ?? [];
      expect(tools.map(({ name, result, failed }) => [name, result?.trim(), failed])).to.have.deep.members([
        ["bash", "cat: /nonexistent: No such file or directory", "cat: /nonexistent: No such file or directory"],
        ["bash", "hello", undefined],
        ["read", "File not found: /nonexistent/a.txt", "File not found: /nonexistent/a.txt"],
        ["task", tools.find(({ name }) => name === "task")?.result?.trim(), undefined],
      ]);
      const [subagent] = tools.find(({ name }) => name === "task")?.under ?? [];
      expect(subagent).to.include({ name: "general", args: "You are the sub. Say done.", result: "Sub done." });
      expect(subagent?.under?.map(({ kind }) => kind)).to.have.members(["tool", "llm", "llm"]);
      expect(session).to.include({ source: "opencode", externalId: "ses_df5281608ffelqVEPm93xROzJg" });
      expect(session.metadata.cwd).to.equal("/srv/example/project");
      expect(session.totals).to.deep.include({ turns: 1, toolCalls: 5, failures: 2, cost: 0.00564 });
      expect(session.totals).to.include({ inputTokens: 4800, outputTokens: 300, cacheReadTokens: 2400 });
    }
  });

  it("mark a turn as failed when the model failed", async () => {
    const tenant = await createOrganization();
    const common = { session_id: "ses_1", turn_id: "msg_1", time: 1_795_478_252_406 };
    const time = { created: 1_795_478_252_500, completed: 1_795_478_253_000 };
    const info = {
      id: "msg_2",
      role: "assistant",
      modelID: "m",
      time,
      error: { name: "APIError", data: { message: "No." } },
    };
    const sent = [
      { ...common, hook_event_name: "chat.message", prompt: "Hello" },
      { ...common, hook_event_name: "message.updated", info },
      { ...common, hook_event_name: "session.idle", time: 1_795_478_253_100 },
    ];
    for (const body of sent) expect((await postHook(tenant, "opencode", JSON.stringify(body))).status).to.equal(204);
    const [turn] = toEventTree(await readSession(tenant));
    expect(turn).to.include({ args: "Hello", failed: "No." });
  });
});

describe("hooks of Qwen Code 0.24.4", () => {
  it("become a turn with its calls and a background subagent, in any order", async () => {
    const names = bodies("qwen");
    for (const order of [names, names.toReversed()]) {
      const tenant = await createOrganization();
      await replayHooks(tenant, "qwen-code", order);
      const session = await readSession(tenant);
      const [turn, ...others] = toEventTree(session);
      expect(others).to.deep.equal([]);
      expect(turn)
        .to.include({ kind: "turn", name: "qwen-code", args: PROMPT, result: DONE })
        .and.not.to.have.property("open");
      const tools = turn?.under ?? [];
      expect(tools.map(({ name, failed }) => [name, failed])).to.have.deep.members([
        ["run_shell_command", undefined],
        ["run_shell_command", "Command: cat /nonexistent"],
        ["read_file", "File not found: /nonexistent/a.txt"],
        ["agent", undefined],
      ]);
      expect(tools.find(({ args }) => args?.includes("echo hello"))?.result).to.equal("hello");
      const [subagent] = tools.find(({ name }) => name === "agent")?.under ?? [];
      expect(subagent).to.include({ kind: "subagent", name: "general-purpose", result: "Sub done." });
      expect(subagent?.under?.map(({ name, args }) => [name, args?.includes("echo sub")])).to.deep.equal([
        ["run_shell_command", true],
      ]);
      expect(session.events.every(({ kind, latency }: any) => kind === "subagent" || latency !== null)).to.equal(true);
    }
  });

  it("of versions without a prompt id create no events, because telemetry could not match them", async () => {
    const tenant = await createOrganization();
    const body = { session_id: "s", hook_event_name: "PreToolUse", tool_use_id: "toolu_1", tool_name: "read_file" };
    expect((await postHook(tenant, "qwen-code", JSON.stringify(body))).status).to.equal(204);
    const { recordedSessions } = await tenant.gql("{ recordedSessions { nodes { totals { events } } } }");
    expect(recordedSessions.nodes.filter(({ totals }: any) => totals.events > 0)).to.deep.equal([]);
  });
});

describe("hooks of Cursor, as documented by Cursor", () => {
  const common = { conversation_id: "c-1", generation_id: "g-1", model: "m", workspace_roots: ["/srv/example"] };
  const SENT = [
    { hook_event_name: "beforeSubmitPrompt", prompt: PROMPT, attachments: [] },
    {
      hook_event_name: "preToolUse",
      tool_name: "Shell",
      tool_input: { command: "cat /nonexistent" },
      tool_use_id: "t-1",
    },
    {
      ...{ hook_event_name: "postToolUseFailure", tool_name: "Shell", tool_input: { command: "cat /nonexistent" } },
      ...{ tool_use_id: "t-1", error_message: "No such file", failure_type: "error", duration: 12 },
    },
    { hook_event_name: "afterAgentResponse", text: DONE },
    { hook_event_name: "stop", status: "completed", loop_count: 0 },
  ];

  it("become a turn with its calls", async () => {
    const tenant = await createOrganization();
    for (const body of SENT)
      expect((await postHook(tenant, "cursor", JSON.stringify({ ...common, ...body }))).status).to.equal(204);
    const session = await readSession(tenant);
    expect(toEventTree(session)).to.deep.equal([
      {
        ...{ kind: "turn", name: "cursor", args: PROMPT, result: DONE },
        under: [
          {
            ...{ kind: "tool", name: "Shell", args: '{"command":"cat /nonexistent"}' },
            ...{ result: "No such file", failed: "No such file" },
          },
        ],
      },
    ]);
    expect(session).to.include({ source: "cursor", externalId: "c-1" });
  });

  it("are refused without a conversation id", async () => {
    const tenant = await createOrganization();
    const { status } = await postHook(tenant, "cursor", JSON.stringify({ session_id: "s", hook_event_name: "stop" }));
    expect(status).to.equal(400);
  });
});
