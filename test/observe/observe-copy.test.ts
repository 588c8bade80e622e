import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { toCallId, toSessionId } from "../../server/ingest/observe/fold/ids.ts";
import { createEvent, createSession, createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { postOtlp, readStoredTrees } from "../support/recording/otlp.ts";
import { buildLogsRequest, buildSpansRequest, recordTelemetry } from "../support/recording/telemetry.ts";
import { scaleRuns } from "../support/run/runs.ts";

const callsOf = (session: string, count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id: id + 1,
    at: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.conversation.id": session,
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.id": `call-${id}`,
      "gen_ai.tool.call.result": `result ${id}`,
    },
  }));

const send = async (writer: IngestWriter, path: string, body: object) => {
  const { status, bytes } = await postOtlp(writer, path, Buffer.from(JSON.stringify(body)));
  return { status, body: JSON.parse(bytes.toString()) as { partialSuccess?: object } };
};

describe("an OTLP export of many new events", () => {
  it("skips the event that capture-* recorded in another session, and stores the others", async () => {
    const [writer, session] = [await createWriter(), uuidv7()];
    const taken = createEvent({ event_id: toCallId(session, "call-3"), result: "as it was captured" });
    expect((await writer.event(taken)).status).to.equal(200);
    const reply = await send(writer, "/v1/traces", buildSpansRequest(callsOf(session, 20)));
    expect(reply).to.deep.equal({ status: 200, body: {} });
    expect(await writer.count()).to.equal(20);
    expect(await writer.storedEvent(taken.event_id)).to.include({ result: "as it was captured" });
    const stored = await writer.storedSession(session);
    expect(Number(stored?.["events"])).to.equal(19);
  });

  it("adds nothing when repeated alone, with other exports, concurrently or later", async () => {
    const [writer, session] = [await createWriter(), uuidv7()];
    const some = callsOf(session, 30);
    const sent = [some.slice(0, 20), some, some.slice(10)].map((spans) =>
      send(writer, "/v1/traces", buildSpansRequest(spans)),
    );
    for (const reply of await Promise.all(sent)) expect(reply).to.deep.equal({ status: 200, body: {} });
    expect(await send(writer, "/v1/traces", buildSpansRequest(some))).to.deep.equal({ status: 200, body: {} });
    expect((await readStoredTrees(writer.organizationId)).length).to.equal(30);
    expect(Number((await writer.storedSession(session))?.["tool_calls"])).to.equal(30);
  });

  it("stores the cost of each record to the billionth", async () => {
    const costs = fc.array(fc.integer({ min: 0, max: 10 ** 15 }), { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(costs, async (billionths) => {
        const told = billionths.map((cost, at) => ({
          at: {
            "event.name": "api_request",
            "session.id": "s",
            "prompt.id": "p",
            request_id: `r-${at}`,
            cost_usd: (cost / 1e9).toFixed(9),
          },
          body: "claude_code.api_request",
        }));
        const { trees } = await recordTelemetry([], told);
        const sorted = (list: number[]) => [...list].sort((a, b) => a - b);
        const stored = trees.map(({ cost }) => Math.round(Number(cost) * 1e9));
        expect(sorted(stored)).to.deep.equal(sorted(billionths));
      }),
      { numRuns: scaleRuns(30), examples: [[[0, 1, 10_000, 1_000_000_000, 10_000_000_000_000]]] },
    );
  }).timeout(60_000);
});

describe("OTLP data that the database cannot store", () => {
  it("is dropped without failing its request or later records", async () => {
    const [writer, session] = [await createWriter(), uuidv7()];
    for (const key of ["a", "b", "c", "d"]) {
      const metadata = { [key]: "x".repeat(63 * 1024) };
      expect((await writer.session(createSession({ session_id: session, metadata }))).status).to.equal(200);
    }
    const tooMuch = { hook_event_name: "SessionStart", session_id: session, cwd: `/${"x".repeat(60_000)}` };
    const door = { url: writer.url, ingestKey: writer.key };
    expect((await postHook(door, "claude-code", tooMuch)).status).to.equal(204);
    const prompt = { hook_event_name: "UserPromptSubmit", session_id: session, prompt_id: "p", prompt: "Hello" };
    expect((await postHook(door, "claude-code", { ...prompt, cwd: "/w" })).status).to.equal(204);
    expect((await readStoredTrees(writer.organizationId)).map(({ args }) => args)).to.deep.equal(["Hello"]);
  });

  it("includes token counts whose sum exceeds the database's range: the counts are dropped", async () => {
    const writer = await createWriter();
    const tokens = (at: number) => ({
      at: {
        "event.name": "api_request",
        "session.id": "s",
        "prompt.id": "p",
        request_id: `r-${at}`,
        input_tokens: at < 3 ? String(at) : "9007199254740991",
      },
      body: "claude_code.api_request",
    });
    // The numbers are near the maximum, so their sum exceeds the range of the database's type.
    const records = Array.from({ length: 1_100 }, (_, at) => tokens(at));
    expect(await send(writer, "/v1/logs", buildLogsRequest(records))).to.deep.equal({ status: 200, body: {} });
    expect(await writer.count()).to.equal(1_100);
    const stored = await writer.storedSession(toSessionId(writer.organizationId, "claude-code", "s"));
    expect([Number(stored?.["events"]), Number(stored?.["input_tokens"])]).to.deep.equal([1_100, 3]);
  }).timeout(60_000);
});
