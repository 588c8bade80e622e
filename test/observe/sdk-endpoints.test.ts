import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import { readStoredTrees, type StoredNode, toComparableTrees, writeOutline } from "../support/recording/otlp.ts";

/** Request as sent by an SDK. */
interface Sent {
  path: string;
  body: Uint8Array | string;
  type?: string;
  method?: string;
}

const file = (name: string): Buffer => readFileSync(join("test/fixtures/sdks", name));
const files = (path: string, ...names: string[]): Sent[] => names.map((name) => ({ path, body: file(name) }));
const FORM = { path: "/sdk/langsmith/runs/multipart", type: "multipart/form-data; boundary=----LangSmithFormBoundary" };
const LANGFUSE = "/sdk/langfuse/api/public/ingestion";
const AGENTS = "/sdk/openai-agents/v1/traces/ingest";
const BATCH = "/sdk/langsmith/runs/batch";
const batches = ["1", "2", "3", "4", "5"].map((each) => `langsmith-batch-${each}.json`);

/** Bodies of one run of each SDK, captured by `npm run sdks`. */
const RUNS: Record<string, { sent: Sent[]; nested: string }> = {
  "LangSmith, as a form": { sent: [{ ...FORM, body: file("langsmith-form.txt") }], nested: "subagent" },
  "LangSmith, in batches": { sent: files(BATCH, ...batches), nested: "subagent" },
  "OpenAI Agents": { sent: files(AGENTS, "openai-agents.json"), nested: "tool" },
  "Langfuse 3": { sent: files(LANGFUSE, "langfuse.json"), nested: "tool" },
  Braintrust: {
    sent: files("/sdk/braintrust/logs3", ...["1", "2", "3"].map((each) => `braintrust-${each}.json`)),
    nested: "subagent",
  },
  Laminar: {
    sent: [{ path: "/v1/traces", type: "application/x-protobuf", body: file("laminar.pb") }],
    nested: "other",
  },
};

const send = (writer: IngestWriter, { path, body, type = "application/json", method = "POST" }: Sent) =>
  fetch(writer.url + path, { method, body, headers: { "x-api-key": writer.key, "Content-Type": type } });

async function recorded(sent: readonly Sent[]): Promise<StoredNode[]> {
  const writer = await createWriter();
  for (const each of sent) {
    const reply = await send(writer, each);
    expect(reply.status, await reply.text()).to.be.within(200, 207);
    expect(reply.headers.get("x-ingest-rejected")).to.equal("0");
  }
  return readStoredTrees(writer.organizationId);
}

const all = (nodes: readonly StoredNode[]): StoredNode[] => nodes.flatMap((node) => [node, ...all(node.children)]);

/** Splits a request into requests with one record each. */
function singly({ path, body }: Sent): Sent[] {
  return Object.entries(JSON.parse(String(body))).flatMap(([list, records]) =>
    Array.isArray(records) ? records.map((each) => ({ path, body: JSON.stringify({ [list]: [each] }) })) : [],
  );
}

describe("endpoints for SDKs", () => {
  for (const [name, { sent, nested }] of Object.entries(RUNS)) {
    it(`store a turn with its calls, the failed call and the nested agent: ${name}`, async () => {
      const trees = await recorded(sent);
      expect(trees.map(({ kind, name: agent }) => [kind, agent])).to.deep.equal([["turn", "assistant"]]);
      const [turn] = trees;
      expect(turn).to.include({
        args: "What is the weather in Paris?",
        result: "Sunny in Paris, all week.",
        success: true,
        open: false,
      });
      const calls = turn?.children ?? [];
      expect(calls.filter(({ kind }) => kind === "llm")).to.have.length(3);
      expect(calls.find((call) => call["name"] === "get_weather")).to.include({
        kind: "tool",
        args: '{"city":"Paris"}',
        result: "Sunny in Paris",
        success: true,
      });
      const broken = calls.find((call) => call["name"] === "broken");
      expect(broken).to.include({ kind: "tool", success: false });
      expect(broken?.["error"]).to.match(/tool exploded|Error details are redacted/);
      const inner = calls.find(({ children }) => children.length > 0);
      expect(inner).to.include({ kind: nested, result: "Paris has sun all week." });
      const models = all(trees).filter(({ kind }) => kind === "llm");
      expect(models.map(({ model, result }) => [model, result])).to.deep.include([
        "scripted-1",
        "Paris has sun all week.",
      ]);
      expect(models.map(({ model }) => model)).to.deep.equal(Array(4).fill("scripted-1"));
    });
  }

  it("store a turn for LangSmith's OpenTelemetry export, which has no model calls", async () => {
    const body = file("langsmith-otel.pb");
    const trees = await recorded([{ path: "/v1/traces", type: "application/x-protobuf", body }]);
    expect(writeOutline(trees)).to.equal(
      "turn assistant\n  tool get_weather\n  tool broken failed\n  llm scripted-1\n",
    );
    expect(trees[0]).to.include({ args: "What is the weather in Paris?", model: "scripted-1", input: 120 });
    const broken = all(trees).find((node) => node["name"] === "broken");
    expect(broken?.["error"]).to.equal("Error: tool exploded");
  });

  it("respond as each SDK expects", async () => {
    const writer = await createWriter();
    const info = await fetch(`${writer.url}/sdk/langsmith/info`);
    expect(await info.json()).to.deep.include({
      instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: false },
    });
    const event = (id: string, body: object) => ({ id, type: "span-create", timestamp: "2026-11-23T23:00:00Z", body });
    const batch = [
      event("kept", { id: "s", traceId: "t", name: "search" }),
      event("lost", { id: "s" }),
      { id: "score", type: "score-create", body: { traceId: "t", value: 1 } },
    ];
    const verdicts = await send(writer, { path: LANGFUSE, body: JSON.stringify({ batch }) });
    expect(verdicts.status).to.equal(207);
    expect(await verdicts.json()).to.deep.equal({
      successes: ["kept", "score"].map((id) => ({ id, status: 201 })),
      errors: [{ id: "lost", status: 400, message: "names no trace" }],
    });
    const login = await send(writer, { path: "/sdk/braintrust/api/apikey/login", body: "" });
    expect(await login.json()).to.have.nested.property("org_info[0].api_url", `${writer.url}/sdk/braintrust`);
    const statusOf = async (sent: Sent, key = writer.key) => (await send({ ...writer, key }, sent)).status;
    for (const path of [
      LANGFUSE,
      AGENTS,
      BATCH,
      FORM.path,
      "/sdk/braintrust/logs3",
      "/sdk/braintrust/api/apikey/login",
    ]) {
      expect(await statusOf({ path, body: "{}" }, "sk_unknown"), path).to.equal(401);
      expect(await statusOf({ path, body: "{}", method: "PUT" }), path).to.equal(405);
    }
    expect(await statusOf({ path: BATCH, body: "{" })).to.equal(400);
    expect(await statusOf({ path: BATCH, body: "{}", type: "text/plain" })).to.equal(415);
    expect(await statusOf({ ...FORM, body: "no form" })).to.equal(400);
    expect(await statusOf({ path: BATCH, body: `{"post":${"[".repeat(99)}${"]".repeat(99)}}` })).to.equal(400);
    expect(await statusOf({ path: "/sdk/langsmith/feedback", body: "{}" })).to.equal(404);
  });

  it("show a running run, and complete it with its update", async () => {
    const writer = await createWriter();
    const id = "01a20ab9-9280-7000-8000-002e0dfee785";
    const begun = { id, trace_id: id, name: "assistant", run_type: "chain", start_time: "2026-11-23T23:00:00Z" };
    const run = { path: "/sdk/langsmith/runs", body: JSON.stringify({ ...begun, inputs: { input: "Why?" } }) };
    expect((await send(writer, run)).status).to.equal(202);
    const [open] = await readStoredTrees(writer.organizationId);
    expect(open).to.include({ kind: "turn", open: true, args: "Why?", result: "" });
    const change = { trace_id: id, end_time: "2026-11-23T23:00:02Z", outputs: { output: "So." }, error: "It broke" };
    const patch = { path: `/sdk/langsmith/runs/${id}`, method: "PATCH", body: JSON.stringify(change) };
    expect((await send(writer, patch)).status).to.equal(202);
    const [done] = await readStoredTrees(writer.organizationId);
    expect(done).to.include({
      kind: "turn",
      open: false,
      name: "assistant",
      latency: 2_000,
      success: false,
      error: "It broke",
    });
  });

  it("count tokens once, including cached tokens", async () => {
    const { Laminar, ...counting } = RUNS;
    for (const [name, { sent }] of Object.entries(counting)) {
      const trees = all(await recorded(sent));
      const sum = (column: string) => trees.reduce((total, node) => total + Number(node[column] ?? 0), 0);
      expect([name, sum("input"), sum("output"), sum("cacheRead")]).to.deep.equal([name, 480, 80, 160]);
    }
  });

  it("give the same tree in any order, with repeats, and with one record per request", async () => {
    for (const name of ["LangSmith, in batches", "Langfuse 3", "Braintrust"]) {
      const { sent } = RUNS[name] ?? { sent: [] };
      const once = toComparableTrees(await recorded(sent));
      const records = sent.flatMap(singly);
      const orders = fc.shuffledSubarray(records, { minLength: records.length });
      const again = fc.asyncProperty(orders, async (order) => {
        expect(toComparableTrees(await recorded([...order, ...order.slice(0, 3)]))).to.deep.equal(once);
      });
      await fc.assert(again, { numRuns: 2 });
    }
  });
});
