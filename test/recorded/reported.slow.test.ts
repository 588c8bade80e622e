import { readFileSync } from "node:fs";
import { expect } from "chai";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { postHook, readSession } from "../support/recording/observed-sessions.ts";
import { postOtlp } from "../support/recording/otlp.ts";
import { postLines } from "../support/recording/transcripts.ts";
import { createOrganization, startSharedServer, type Tenant } from "../support/server.ts";

const FOLDER = new URL("../fixtures/reported/", import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, FOLDER), "utf8");
const linesOf = (file: string): string[] => textOf(file).split("\n").filter(Boolean);

/** Imports a transcript that users of other recorders reported as counted wrongly, and returns its session. */
async function importReported(agent: string, file: string, tenant?: Tenant) {
  const own = tenant ?? (await createOrganization());
  const { rejected } = await postLines(own, agent, linesOf(file));
  expect(rejected).to.deep.equal([]);
  return own;
}

const sessionId = (number: number) => `c4000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const byExternalId = async (tenant: Tenant, number: number): Promise<any> => {
  const { recordedSessions } = await tenant.gql("{ recordedSessions(first: 50) { nodes { id externalId } } }");
  const found = recordedSessions.nodes.find(({ externalId, id }: any) => [externalId, id].includes(sessionId(number)));
  if (!found) throw new Error(`no session ${number}: ${JSON.stringify(recordedSessions.nodes)}`);
  return readSession(tenant, found.id);
};
/** All orders of a list. */
const ordersOf = <T>(all: readonly T[]): T[][] =>
  all.length === 0 ? [[]] : all.flatMap((one, at) => ordersOf(all.toSpliced(at, 1)).map((rest) => [one, ...rest]));

/** The lines of a fork: a new session whose file begins with all lines of its origin, then its own turn. */
function forkOf(lines: readonly string[], from: number, to: number, own: number): string[] {
  const meta = JSON.parse(lines[0] ?? "");
  const at = `2026-11-20T09:0${to - 600}:00.000Z`;
  const id = sessionId(to);
  const first = { ...meta, timestamp: at, payload: { ...meta.payload, id, forked_from_id: sessionId(from) } };
  const turn_id = sessionId(own);
  const usage = { input_tokens: 500, cached_input_tokens: 500, output_tokens: 50, total_tokens: 550 };
  const total = { input_tokens: 500 * own, cached_input_tokens: 0, output_tokens: 0, total_tokens: 500 * own };
  const event = (payload: object) => ({ timestamp: at, type: "event_msg", payload });
  const added = [
    event({ type: "task_started", turn_id }),
    event({ type: "user_message", message: `again ${own}` }),
    event({ type: "token_count", info: { total_token_usage: total, last_token_usage: usage } }),
    event({ type: "task_complete", turn_id, last_agent_message: "done" }),
  ];
  return [first, ...lines.map((line) => JSON.parse(line)), ...added].map((line) => JSON.stringify(line));
}

const briefly = ({ kind, args, result, success }: any) => ({ kind, args, result, success });

describe("A transcript of a kind that other recorders count wrongly", () => {
  it("Codex: a fork takes no turn from the session that it continues", async () => {
    const tenant = await importReported("codex", "codex-fork-parent.jsonl");
    await importReported("codex", "codex-fork-child.jsonl", tenant);
    const [parent, child] = [await byExternalId(tenant, 600), await byExternalId(tenant, 601)];
    const turns = (session: any) => session.events.filter(({ kind }: any) => kind === "turn");
    expect(turns(parent).map(({ args, result, latency }: any) => [args, result, latency])).to.deep.equal([
      ["fix the parser", "fixed", 4_000],
    ]);
    expect(turns(child)).to.have.length(1);
    const sum = (name: string) => parent.totals[name] + child.totals[name];
    expect([sum("inputTokens"), sum("outputTokens"), sum("cacheReadTokens")]).to.deep.equal([3_500, 350, 1_200]);
    const ids = new Set(child.events.map(({ id }: any) => id));
    expect(child.events.filter(({ parentId }: any) => parentId !== null && !ids.has(parentId))).to.deep.equal([]);
  });

  it("Codex: a fork of a fork is counted alike in every order of the files, and when a file is imported again", async () => {
    const parent = linesOf("codex-fork-parent.jsonl");
    const child = linesOf("codex-fork-child.jsonl");
    const grandchild = forkOf(child, 601, 602, 613);
    const sums = { 600: [1, 3_000], 601: [1, 500], 602: [1, 500] };
    for (const order of [...ordersOf([parent, child, grandchild]), [grandchild, parent, child, grandchild, child]]) {
      const tenant = await createOrganization();
      for (const lines of order) await postLines(tenant, "codex", lines);
      for (const [number, [turns, inputTokens]] of Object.entries(sums)) {
        const { totals } = await byExternalId(tenant, Number(number));
        const files = order.map((lines) => lines.length).join(" ");
        expect({ turns: totals.turns, inputTokens: totals.inputTokens }, `${number} of ${files}`).to.deep.equal({
          turns,
          inputTokens,
        });
      }
    }
  });

  it("Codex: a fork whose origin was not recorded keeps the copied turns", async () => {
    const { totals } = await readSession(await importReported("codex", "codex-fork-child.jsonl"));
    expect([totals.turns, totals.inputTokens]).to.deep.equal([2, 3_500]);
  });

  it("Codex 0.46: a turn without an id keeps its reply", async () => {
    const { events, totals } = await readSession(await importReported("codex", "codex-0.46.jsonl"));
    const [turn, ...others] = events.filter(({ kind }: any) => kind === "turn");
    expect(others).to.deep.equal([]);
    expect([turn.args, turn.result, turn.success]).to.deep.equal(["what is 2+2?", "4", true]);
    expect([totals.inputTokens, totals.outputTokens]).to.deep.equal([1_000, 100]);
  });

  it("Codex of 2025: lines without a time and without a type of their own are read", async () => {
    const { events } = await readSession(await importReported("codex", "codex-legacy-2025.jsonl"));
    expect(events.map(briefly).sort((a: any, b: any) => (a.kind < b.kind ? -1 : 1))).to.deep.equal([
      { kind: "tool", args: '{"command":["ls"]}', result: "a\n", success: true },
      { kind: "turn", args: "fix it", result: "fixed", success: true },
    ]);
  });

  it("Claude Code: responses that share an id of a gateway are counted apart", async () => {
    const { events, totals } = await readSession(await importReported("claude-code", "claude-gateway-one-id.jsonl"));
    const calls = events.filter(({ kind }: any) => kind === "llm").map(({ result }: any) => result);
    expect(calls.sort()).to.deep.equal(["first answer", "second answer", "third answer"]);
    expect([totals.inputTokens, totals.outputTokens]).to.deep.equal([600, 60]);
  });

  it("Claude Code: a cache write for an hour costs twice the input price", async () => {
    const { totals } = await readSession(await importReported("claude-code", "claude-hour-cache.jsonl"));
    expect(totals.cost).to.equal(0.6);
  });

  it("Claude Code: Windows paths below the session's folder are relative", async () => {
    const tenant = await importReported("claude-code", "claude-windows-paths.jsonl");
    const { id } = await readSession(tenant);
    await processNewEvents((await startSharedServer()).runtime.db);
    const query = "query ($id: String!) { recordedSession(id: $id) { files(first: 10) { nodes { path } } } }";
    const { recordedSession } = await tenant.gql(query, { id });
    expect(recordedSession.files.nodes.map(({ path }: any) => path)).to.deep.equal(["lib/parser.ts"]);
  });

  it("Claude Code 1.0: an inline sidechain is inside its subagent, and the result of Task ends the subagent", async () => {
    const { events, totals } = await readSession(await importReported("claude-code", "claude-inline-sidechain.jsonl"));
    expect(totals.failures).to.equal(0);
    expect([totals.inputTokens, totals.outputTokens]).to.deep.equal([290, 105]);
    const subagent = events.find(({ kind }: any) => kind === "subagent");
    expect([subagent.args, subagent.result]).to.deep.equal(["Find the parser", "It is src/parser.ts"]);
    const inside = events.filter(({ parentId }: any) => parentId === subagent.id);
    expect(inside.map(({ kind, primitiveName }: any) => [kind, primitiveName]).sort()).to.deep.equal([
      ["llm", "claude-sonnet-4-5-20250929"],
      ["llm", "claude-sonnet-4-5-20250929"],
      ["tool", "Grep"],
    ]);
  });

  it("Gemini CLI: thoughts are billed as output", async () => {
    const file = "gemini/chats/session-2026-11-20T09-00-thoughts.jsonl";
    const { totals } = await readSession(await importReported("gemini-cli", file));
    expect(totals.cost).to.equal(0.02125);
  });
});

describe("A hook of a kind that other recorders read wrongly", () => {
  it("Gemini CLI: thoughts that only the total includes are billed as output", async () => {
    const tenant = await createOrganization();
    expect((await postHook(tenant, "gemini-cli", textOf("gemini-thoughts-hook.json"))).status).to.equal(204);
    expect((await readSession(tenant)).totals.cost).to.equal(0.02125);
  });

  it("Claude Code: output that is not UTF-8 ends its call well", async () => {
    const tenant = await createOrganization();
    const [session_id, prompt_id, tool_use_id] = [sessionId(1600), sessionId(1601), "toolu_c4_1600"];
    const call = { session_id, prompt_id, tool_name: "Bash", tool_use_id, tool_input: { command: "dir" } };
    const bodies = [
      { session_id, prompt_id, hook_event_name: "UserPromptSubmit", prompt: "list" },
      { ...call, hook_event_name: "PreToolUse" },
      { ...call, hook_event_name: "PostToolUse", tool_response: { stdout: "cafE", stderr: "" } },
      { session_id, prompt_id, hook_event_name: "Stop", last_assistant_message: "Done." },
      { session_id, hook_event_name: "SessionEnd", reason: "other" },
    ];
    for (const body of bodies) {
      const bytes = Buffer.from(JSON.stringify(body));
      const at = bytes.indexOf("cafE");
      if (at >= 0) bytes[at + 3] = 0xe9;
      const response = await fetch(`${tenant.url}/api/v1/hooks/claude-code`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "x-api-key": tenant.ingestKey },
        body: bytes,
      });
      expect(response.status).to.equal(204);
    }
    const ended = (await readSession(tenant)).events.find(({ kind }: any) => kind === "tool");
    expect([ended.result, ended.success]).to.deep.equal(["caf\uFFFD", true]);
  });
});

describe("Telemetry of a kind that other recorders read wrongly", () => {
  async function send(file: string, path = "/v1/traces", edit: (text: string) => string = String) {
    const tenant = await createOrganization();
    const { status, bytes } = await postOtlp(
      { url: tenant.url, key: tenant.ingestKey },
      path,
      Buffer.from(edit(textOf(file))),
    );
    return { tenant, status, body: JSON.parse(bytes.toString() || "{}") };
  }

  it("an id of zeros is no id: the span has no parent", async () => {
    const { tenant } = await send("otlp-zero-parent.json");
    const { events } = await readSession(tenant);
    expect(events.map(({ kind, args }: any) => [kind, args])).to.deep.equal([["turn", "Hello"]]);
  });

  it("a bad value costs no record", async () => {
    const { tenant, status, body } = await send("otlp-bad-value.json", "/v1/logs");
    expect(status).to.equal(200);
    expect(body.partialSuccess.errorMessage).to.include("doubleValue must be a number");
    const { events } = await readSession(tenant);
    expect(events.map(({ kind }: any) => kind).sort()).to.deep.equal(["llm", "tool", "turn"]);
  });

  it("cache reads under the names of an instrumentation's details are counted", async () => {
    const { totals } = await readSession((await send("otlp-cache-names.json")).tenant);
    expect(totals.cacheReadTokens).to.equal(4_352);
    expect(totals.cost).to.be.closeTo(0.0187, 0.00005);
  });

  it("a span without an operation name is a model call", async () => {
    const { events } = await readSession((await send("otlp-no-operation.json")).tenant);
    const [call] = events;
    expect(events).to.have.length(1);
    expect([call.kind, call.model, call.inputTokens, call.outputTokens]).to.deep.equal(["llm", "gpt-5", 1_000, 100]);
    expect([call.cost, call.args, call.result]).to.deep.equal([0.0123, "Hello", "Hi"]);
  });

  for (const path of ["//v1/traces", "/v1/traces/", "/v1//traces"])
    it(`an address with one slash more is accepted: ${path}`, async () => {
      expect((await send("otlp-zero-parent.json", path)).status).to.equal(200);
    });
});
