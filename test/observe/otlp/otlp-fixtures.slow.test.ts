import { expect } from "chai";
import fc from "fast-check";
import { createWriter } from "../../support/recording/ingest.ts";
import {
  postOtlp,
  readOtlpFixture,
  readStoredTrees,
  type StoredNode,
  sendFixtures,
  splitIntoRecords,
  toComparableTrees,
  writeOutline,
} from "../../support/recording/otlp.ts";
import { scaleRuns } from "../../support/run/runs.ts";

/** The bodies of one run of a program each. */
const RUNS: Record<string, string[]> = {
  "Claude Code": ["claude/10-otlp-traces.json", "claude/11-otlp-logs.json"],
  "Claude Code, protobuf": ["claude/14-otlp-traces.pb", "claude/15-otlp-logs.pb"],
  "Claude Code, long texts": ["claude/29-long-output-otlp-traces.json", "claude/30-long-output-otlp-logs.json"],
  "Claude Code, an error of the model": ["claude/32-error-otlp-logs.json"],
  "Claude Code, a refused call": ["claude/34-denied-otlp-traces.json"],
  "Claude Code, compacting": ["claude/40-compact-otlp-logs.json"],
  "Claude Code, without contents": ["claude/43-gates-off-otlp-traces.json", "claude/44-gates-off-otlp-logs.json"],
  "Claude Code, attributes of its own": ["claude/45-resource-attributes-otlp-logs.json"],
  Codex: [
    "codex/09-otlp-logs-1.json",
    "codex/10-otlp-logs-2.json",
    "codex/11-otlp-traces-1-cut.json",
    "codex/12-otlp-traces-2-cut.json",
  ],
  "Codex, its traces alone": ["codex/15-otlp-traces-2.pb"],
  "Codex, long texts": ["codex/22-long-output-otlp-logs.json"],
  "Gemini CLI": ["gemini/13-otlp-traces.json", "gemini/14-otlp-logs.json"],
  "Gemini CLI, interactive": ["gemini/22-interactive-otlp-logs.json"],
  "the Vercel AI SDK": ["sdk/vercel-ai.json"],
  "Langfuse's SDK": ["sdk/langfuse.json"],
  "Traceloop's SDK": ["sdk/traceloop.pb"],
  "Claude Code 2.1.330, a subagent": [
    "08-otlp-logs",
    "17-otlp-traces",
    "25-otlp-logs",
    "29-otlp-traces",
    "30-otlp-logs",
  ].map((name) => `claude-2.1.330/subagent/${name}.json`),
  "Codex, as documented": [
    "33-documented-otlp-traces-cut",
    "34-documented-otlp-traces-cut",
    "32-documented-otlp-logs",
  ].map((name) => `codex/${name}.json`),
  "Qwen Code": ["qwen-0.24.4/01-otlp-logs.json", "qwen-0.24.4/02-otlp-traces.json"],
  opencode: ["opencode/01-otlp-traces.json"],
  LangChain: ["sdk/langchain-otlp-traces.json"],
  "the AI SDK 7": ["sdk/ai-7-otlp-traces.json"],
};

async function recorded(names: readonly string[], encoding: "json" | "protobuf" = "json"): Promise<StoredNode[]> {
  const writer = await createWriter();
  await sendFixtures(writer, names, encoding);
  return readStoredTrees(writer.organizationId);
}

const all = (nodes: readonly StoredNode[]): StoredNode[] => nodes.flatMap((node) => [node, ...all(node.children)]);
const sum = (nodes: readonly StoredNode[], column: string): number =>
  all(nodes).reduce((total, node) => total + Number(node[column] ?? 0), 0);
const find = (nodes: readonly StoredNode[], kind: string, args = ""): StoredNode => {
  const found = all(nodes).find((node) => node["kind"] === kind && String(node["args"]).includes(args));
  if (!found) throw new Error(`no ${kind} with ${args}`);
  return found;
};

describe("captured telemetry", () => {
  for (const [name, names] of Object.entries(RUNS)) {
    it(`gives the same tree in JSON and protobuf, in any order and repeated: ${name}`, async () => {
      const once = toComparableTrees(await recorded(names));
      const turned = toComparableTrees(await recorded([...names, ...names.toReversed()].reverse(), "protobuf"));
      expect(turned).to.deep.equal(once);
      expect(once).not.to.deep.equal([]);
    });
  }

  it("gives the same tree for parts in any order with repeats", async () => {
    for (const names of [RUNS["Claude Code"], RUNS["Codex"], RUNS["Gemini CLI"]]) {
      if (!names) throw new Error("no such run");
      const once = toComparableTrees(await recorded(names));
      const orders = fc.shuffledSubarray([...names, ...names, ...names], { minLength: 3 * names.length });
      const sent = fc.asyncProperty(orders, fc.boolean(), async (order, inJson) => {
        expect(toComparableTrees(await recorded(order, inJson ? "json" : "protobuf"))).to.deep.equal(once);
      });
      await fc.assert(sent, { numRuns: scaleRuns(4) });
    }
  });

  it("gives the same tree with one request per span or log record, in any order", async () => {
    for (const name of ["Claude Code", "Gemini CLI", "the Vercel AI SDK", "Langfuse's SDK"]) {
      const names = RUNS[name] ?? [];
      const once = toComparableTrees(await recorded(names));
      const records = names.flatMap(splitIntoRecords);
      const sent = fc.asyncProperty(fc.shuffledSubarray(records, { minLength: records.length }), async (order) => {
        const writer = await createWriter();
        for (const { signal, body } of order) await postOtlp(writer, `/v1/${signal}`, body);
        expect(toComparableTrees(await readStoredTrees(writer.organizationId))).to.deep.equal(once);
      });
      await fc.assert(sent, { numRuns: scaleRuns(2) });
    }
  });

  it("of Claude Code contains prompt, calls, failure, reply, tokens and cost", async () => {
    const trees = await recorded(RUNS["Claude Code"] ?? []);
    expect(writeOutline(trees)).to.equal(
      "turn claude-code\n  llm claude-opus-4-8\n  tool Bash\n  tool Bash failed\n  llm claude-opus-4-8\n",
    );
    const [turn] = trees;
    expect(turn).to.include({ args: "Run echo hello and read a missing file. [two]", open: false, latency: 250 });
    expect(find(trees, "tool", "echo hello")).to.include({ result: "hello", latency: 36, success: true });
    expect(find(trees, "tool", "nonexistent")).to.include({ error: "Shell command failed", success: false });
    const totals = ["input", "output", "cacheRead", "cacheWrite"].map((column) => sum(trees, column));
    expect([...totals, sum(trees, "cost").toFixed(6)]).to.deep.equal([2401, 101, 8000, 600, "0.022280"]);
  });

  it("of Claude Code gives a turn with its calls from spans alone", async () => {
    const trees = await recorded(["claude/10-otlp-traces.json"]);
    expect(writeOutline(trees)).to.equal(
      "turn claude-code\n  llm claude-opus-4-8\n  tool Bash\n  tool Bash failed\n  llm claude-opus-4-8\n",
    );
    expect(sum(trees, "input")).to.equal(0);
  });

  it("of Claude Code reports truncated, hidden, failed and refused content", async () => {
    const long = await recorded(RUNS["Claude Code, long texts"] ?? []);
    expect(find(long, "tool", "yyyy")["metadata"]).to.deep.include({ truncated: ["args"] });
    const hidden = await recorded(RUNS["Claude Code, without contents"] ?? []);
    expect(JSON.stringify(hidden)).not.to.include("REDACTED");
    const failed = await recorded(RUNS["Claude Code, an error of the model"] ?? []);
    expect(find(failed, "llm")).to.include({ success: false, error: "asked for", model: "claude-opus-4-8" });
    expect(writeOutline(await recorded(RUNS["Claude Code, a refused call"] ?? []))).to.match(/tool Bash/);
    expect(writeOutline(await recorded(RUNS["Claude Code, compacting"] ?? []))).to.match(/other compaction/);
  });

  it("of Codex counts a failed command as a failure, and tokens once", async () => {
    const trees = await recorded(RUNS["Codex"] ?? []);
    expect(writeOutline(trees)).to.equal(
      "turn codex\n  llm gpt-5\n  tool exec_command\n  tool exec_command failed\n  llm gpt-5\n",
    );
    expect(trees[0]).to.include({
      args: "Run echo hello and read a missing file. [two]",
      result: "Done: one command printed hello, the other failed.",
      open: false,
    });
    expect(find(trees, "tool", "nonexistent")["error"]).to.include("No such file or directory");
    expect(["input", "output", "cacheRead"].map((column) => sum(trees, column))).to.deep.equal([2401, 101, 800]);
  });

  it("of Codex assigns tokens without a trace to their turn by the other records of the request", async () => {
    const body = JSON.parse(readOtlpFixture("codex/10-otlp-logs-2.json").bytes.toString());
    for (const { logRecords } of body.resourceLogs[0].scopeLogs) {
      const completed = logRecords.findLastIndex((log: object) => JSON.stringify(log).includes("input_token_count"));
      logRecords.splice(0, completed);
    }
    const writer = await createWriter();
    await sendFixtures(writer, ["codex/09-otlp-logs-1.json"]);
    await postOtlp(writer, "/v1/logs", Buffer.from(JSON.stringify(body)));
    expect(writeOutline(await readStoredTrees(writer.organizationId))).to.equal(
      "turn codex\n  llm gpt-5\n  tool exec_command failed\n  llm gpt-5\n",
    );
  });

  it("of Gemini CLI joins log records without a call id to the call's span", async () => {
    const trees = await recorded(RUNS["Gemini CLI"] ?? []);
    expect(writeOutline(trees)).to.equal(
      "turn gemini-cli\n  llm gemini-2.5-flash\n  tool run_shell_command\n  tool run_shell_command failed\n  llm gemini-2.5-flash\n",
    );
    expect(find(trees, "tool", "echo hello")["result"]).to.include("Output: hello");
    expect(find(trees, "tool", "nonexistent")["error"]).to.equal("cat: /nonexistent: No such file or directory");
    expect(["input", "output", "cacheRead"].map((column) => sum(trees, column))).to.deep.equal([2401, 101, 800]);
  });

  it("of the Vercel AI SDK gives a turn with its model calls and tools", async () => {
    const trees = await recorded(RUNS["the Vercel AI SDK"] ?? []);
    expect(writeOutline(trees)).to.equal(
      "turn weather-agent\n  llm mock-1-0601\n  other step 1\n  tool get_weather\n  other step 2\n  llm mock-1-0601\n  tool broken failed\n  other step 3\n  llm mock-1-0601\n",
    );
    expect(trees[0]).to.include({ args: "Weather in Paris?", result: "Sunny in Paris." });
    expect(["input", "output"].map((column) => sum(trees, column))).to.deep.equal([36, 15]);
    expect(find(trees, "tool", "{}")["error"]).to.equal("tool exploded");
  });

  it("of Langfuse's SDK marks a span as failed by its level", async () => {
    const trees = await recorded(RUNS["Langfuse's SDK"] ?? []);
    expect(writeOutline(trees)).to.match(/^turn chat-turn\n/);
    expect(find(trees, "tool", "{}")).to.include({ name: "broken", success: false, error: "tool exploded" });
    expect(find(trees, "llm")).to.include({ model: "mock-1", args: "Weather?", result: "call", input: 12, output: 5 });
  });
});
