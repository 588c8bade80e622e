import { expect } from "chai";
import {
  freshOrganization,
  postHook,
  readHookFixture,
  readSession,
  replayHooks,
  toEventTree,
} from "../support/recording/observed-sessions.ts";

const PROMPT = "Run echo hello and read a missing file. [two]";
const REPLY = "Done: one command printed hello, the other failed.";
const ERROR = "Exit code 1\ncat: /nonexistent: No such file or directory";

describe("hooks of Claude Code", () => {
  const WHOLE = ["01-session-start", "02-user-prompt-submit", "03-message-display", "04-pre-tool-use"]
    .concat("05-pre-tool-use-second", "06-post-tool-use", "07-post-tool-use-failure", "08-post-tool-batch", "09-stop")
    .concat("13-session-end")
    .map((name) => `claude/${name}`);
  const TREE = [
    {
      kind: "turn",
      name: "claude-code",
      args: PROMPT,
      result: REPLY,
      under: [
        {
          kind: "tool",
          name: "Bash",
          args: '{"command":"cat /nonexistent","description":"Read a missing file"}',
          result: ERROR,
          failed: "cat: /nonexistent: No such file or directory",
        },
        {
          kind: "tool",
          name: "Bash",
          args: '{"command":"echo hello","description":"Print hello"}',
          result: "hello",
        },
      ],
    },
  ];

  it("become a turn with its calls, and the failed call has its error", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", WHOLE);
    const session = await readSession(tenant, readHookFixture("claude/09-stop").session_id);
    expect(toEventTree(session)).to.deep.equal(TREE);
    expect(session).to.deep.include({
      source: "claude-code",
      externalId: null,
      registered: true,
      user: { id: "tests" },
    });
    expect(session.totals).to.deep.include({ events: 3, failures: 1, turns: 1, toolCalls: 2 });
    expect(session.events.map(({ latency }: any) => latency).sort()).to.include.members([36, 42]);
    expect(session.events[0].id).to.equal(readHookFixture("claude/09-stop").prompt_id);
  });

  it("show an open turn and its open call immediately", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", WHOLE.slice(0, 4));
    expect(toEventTree(await readSession(tenant))).to.deep.equal([
      {
        kind: "turn",
        name: "claude-code",
        args: PROMPT,
        open: true,
        under: [{ kind: "tool", name: "Bash", args: TREE[0]?.under[1]?.args, open: true }],
      },
    ]);
  });

  it("add nothing when repeated", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", WHOLE);
    const before = await readSession(tenant);
    await replayHooks(tenant, "claude-code", [...WHOLE].reverse());
    expect(await readSession(tenant)).to.deep.equal(before);
  });

  it("with an unknown event get an empty response", async () => {
    const tenant = await freshOrganization();
    const payload = { session_id: "s-1", hook_event_name: "Tomorrow", anything: { at: ["all"] } };
    expect(await postHook(tenant, "claude-code", payload)).to.deep.equal({ status: 204, text: "" });
  });
});

describe("a subagent of Claude Code", () => {
  const NAMES = ["21-subagent-pre-tool-use", "22-subagent-start", "23-subagent-inner-post-tool-use"]
    .concat("24-subagent-stop", "25-subagent-post-tool-use")
    .map((name) => `claude/${name}`);

  it("and its calls are children of the call that started it", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", NAMES);
    const session = await readSession(tenant);
    const [call] = toEventTree(session);
    expect([call?.kind, call?.name]).to.deep.equal(["tool", "Agent"]);
    const [subagent] = call?.under ?? [];
    expect(subagent).to.deep.include({
      kind: "subagent",
      name: "general-purpose",
      args: "[two] Run two commands.",
      result: REPLY,
    });
    expect(subagent?.under?.map(({ name, result }) => [name, result])).to.deep.equal([["Bash", "hello"]]);
    expect(session.totals).to.deep.include({ events: 3, toolCalls: 2, turns: 0, inputTokens: 0 });
  });

  it("that compacts a conversation creates no event", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", [
      "claude/36-pre-compact",
      "claude/39-compact-subagent-stop",
      "claude/37-post-compact",
    ]);
    expect((await readSession(tenant)).events).to.deep.equal([]);
  });
});

describe("other hooks of Claude Code", () => {
  it("show refused calls that only the batch hook reports", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", ["claude/33-denied-post-tool-batch"]);
    expect(toEventTree(await readSession(tenant)).map(({ name, failed }) => [name, failed])).to.deep.equal([
      ["Bash", "This command requires approval"],
      [
        "Write",
        "Claude requested permissions to write to /srv/example/run/e12-deny2/project/big.txt, but you haven't granted it yet.",
      ],
    ]);
  });

  it("show a failed turn, an MCP call, a refused call and a long output", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", ["claude/31-stop-failure"]);
    expect(toEventTree(await readSession(tenant))).to.deep.equal([
      { kind: "turn", name: "claude-code", result: "API Error: 400 asked for", failed: "API Error: 400 asked for" },
    ]);
    const other = await freshOrganization();
    await replayHooks(other, "claude-code", ["claude/17-mcp-post-tool-use", "claude/18-mcp-post-tool-use-failure"]);
    const names = toEventTree(await readSession(other)).map(({ name, failed }) => [name, failed]);
    expect(names).to.have.deep.members([
      ["mcp__trackway__create_issue", undefined],
      ["mcp__trackway__create_issue", 'There is no team "NOPE". Call again with one of: ENG (Engineering).'],
    ]);
    const long = await freshOrganization();
    await replayHooks(long, "claude-code", ["claude/28-long-output-post-tool-use"]);
    expect((await readSession(long)).events[0].result).to.match(/^x{1000}/);
  });

  it("close a call without an end as failed when its turn ends", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "claude-code", [
      "claude/02-user-prompt-submit",
      "claude/04-pre-tool-use",
      "claude/09-stop",
    ]);
    const [turn] = toEventTree(await readSession(tenant));
    expect(turn?.open).to.equal(undefined);
    expect(turn?.under?.[0]?.failed).to.equal("The agent reported no end of this call.");
  });
});

describe("hooks of Codex", () => {
  const WHOLE = ["01-session-start", "02-user-prompt-submit", "03-pre-tool-use", "04-pre-tool-use-second"]
    .concat("05-post-tool-use-failed-command", "06-post-tool-use", "07-stop", "08-session-end")
    .map((name) => `codex/${name}`);

  it("become a turn with its calls", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "codex", WHOLE);
    const session = await readSession(tenant);
    const calls = [
      {
        kind: "tool",
        name: "Bash",
        args: '{"command":"cat /nonexistent"}',
        result: "cat: /nonexistent: No such file or directory\n",
      },
      { kind: "tool", name: "Bash", args: '{"command":"echo hello"}', result: "hello\n" },
    ];
    expect(toEventTree(session)).to.deep.equal([
      { kind: "turn", name: "codex", args: PROMPT, result: REPLY, under: calls },
    ]);
    expect(session.totals).to.deep.include({ events: 3, turns: 1, toolCalls: 2, models: ["gpt-5"] });
    expect(session.events.every(({ latency }: any) => latency >= 0)).to.equal(true);
  });

  it("mark a command as failed when its output reports a failure", async () => {
    const tenant = await freshOrganization();
    const failed = {
      ...readHookFixture("codex/05-post-tool-use-failed-command"),
      tool_response: "no\nProcess exited with code 2\n",
    };
    await postHook(tenant, "codex", failed);
    expect(toEventTree(await readSession(tenant))[0]?.failed).to.equal("no");
  });

  it("close a failed MCP call, which reports no end, when the session ends", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "codex", ["codex/19-mcp-pre-tool-use-of-failed-call", "codex/18-mcp-post-tool-use"]);
    const { session_id } = readHookFixture("codex/18-mcp-post-tool-use");
    await postHook(tenant, "codex", { session_id, hook_event_name: "SessionEnd" });
    const failures = toEventTree(await readSession(tenant)).map(({ failed }) => failed);
    expect(failures).to.have.members([undefined, "The agent reported no end of this call."]);
  });
});

describe("hooks of Gemini CLI", () => {
  const WHOLE = [
    "01-session-start",
    "02-before-agent",
    "03-pre-compress",
    "04-before-model",
    "05-before-tool-selection",
  ]
    .concat(
      "06-after-model",
      "07-before-tool",
      "08-before-tool-second",
      "09-after-tool",
      "10-after-tool-failed-command",
    )
    .concat("11-after-agent", "12-session-end")
    .map((name) => `gemini/${name}`);
  const CALL = '"description":"';
  const TREE = [
    {
      kind: "turn",
      name: "gemini-cli",
      args: PROMPT,
      result: `I will run two commands.\n${REPLY}`,
      under: [
        { kind: "llm", name: "gemini-2.5-flash", result: "I will run two commands." },
        {
          kind: "tool",
          name: "run_shell_command",
          args: `{"command":"cat /nonexistent",${CALL}Read a missing file"}`,
          result: "Output: cat: /nonexistent: No such file or directory\nExit Code: 1\nProcess Group PGID: 30306",
          failed: "cat: /nonexistent: No such file or directory",
        },
        {
          kind: "tool",
          name: "run_shell_command",
          args: `{"command":"echo hello",${CALL}Print hello"}`,
          result: "Output: hello\nProcess Group PGID: 30303",
        },
      ],
    },
  ];

  it("become a turn with its calls, although calls have no ids", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "gemini-cli", WHOLE);
    const session = await readSession(tenant);
    expect(toEventTree(session)).to.deep.equal(TREE);
    expect(session.totals).to.deep.include({ events: 4, turns: 1, toolCalls: 2, failures: 1 });
    expect(session.totals).to.deep.include({ inputTokens: 1200, outputTokens: 50 });
    const timed = session.events.filter(({ kind }: any) => kind !== "llm");
    expect(timed.map(({ latency }: any) => latency).sort()).to.deep.equal([132, 141, 741]);
  });

  it("give the same events in any order and when repeated", async () => {
    const tenant = await freshOrganization();
    await replayHooks(tenant, "gemini-cli", [...WHOLE].reverse());
    await replayHooks(tenant, "gemini-cli", WHOLE);
    expect(toEventTree(await readSession(tenant))).to.deep.equal(TREE);
  });

  it("store errors that are objects", async () => {
    for (const [name, words] of [
      ["17-mcp-after-tool-failed", 'There is no team "NOPE". Call again with one of: ENG (Engineering).'],
      ["18-after-tool-error", "File not found: /srv/example/run/g3-fail/project/nonexistent.txt"],
    ]) {
      const tenant = await freshOrganization();
      await replayHooks(tenant, "gemini-cli", [`gemini/${name}`]);
      expect(toEventTree(await readSession(tenant))[0]?.failed).to.contain(words);
    }
  });
});
