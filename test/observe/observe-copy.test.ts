import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { callIdOf, sessionIdOf } from "../../server/ingest/observe/fold/ids.ts";
import { anEvent, aSession, freshWriter, type Writer } from "../support/recording/ingest.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { postOtlp, storedTrees } from "../support/recording/otlp.ts";
import { logsRequest, recordTelemetry, spansRequest } from "../support/recording/telemetry.ts";
import { runs } from "../support/run/runs.ts";

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

const send = async (writer: Writer, path: string, body: object) => {
  const { status, bytes } = await postOtlp(writer, path, Buffer.from(JSON.stringify(body)));
  return { status, body: JSON.parse(bytes.toString()) as { partialSuccess?: object } };
};

describe("an export of many new events", () => {
  it("leaves out the one that capture-* recorded under another session, and keeps the others", async () => {
    const [writer, session] = [await freshWriter(), uuidv7()];
    const taken = anEvent({ event_id: callIdOf(session, "call-3"), result: "as it was captured" });
    expect((await writer.event(taken)).status).to.equal(200);
    const reply = await send(writer, "/v1/traces", spansRequest(callsOf(session, 20)));
    expect(reply).to.deep.equal({ status: 200, body: {} });
    expect(await writer.count()).to.equal(20);
    expect(await writer.storedEvent(taken.event_id)).to.include({ result: "as it was captured" });
    const stored = await writer.storedSession(session);
    expect(Number(stored?.["events"])).to.equal(19);
  });

  it("adds nothing when it comes again, alone or among others, at once or later", async () => {
    const [writer, session] = [await freshWriter(), uuidv7()];
    const some = callsOf(session, 30);
    const sent = [some.slice(0, 20), some, some.slice(10)].map((spans) =>
      send(writer, "/v1/traces", spansRequest(spans)),
    );
    for (const reply of await Promise.all(sent)) expect(reply).to.deep.equal({ status: 200, body: {} });
    expect(await send(writer, "/v1/traces", spansRequest(some))).to.deep.equal({ status: 200, body: {} });
    expect((await storedTrees(writer.organizationId)).length).to.equal(30);
    expect(Number((await writer.storedSession(session))?.["tool_calls"])).to.equal(30);
  });

  it("keeps what each costs to the billionth", async () => {
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
      { numRuns: runs(30), examples: [[[0, 1, 10_000, 1_000_000_000, 10_000_000_000_000]]] },
    );
  }).timeout(60_000);
});

describe("what the store does not take", () => {
  it("costs its own record alone, and is not asked for again", async () => {
    const [writer, session] = [await freshWriter(), uuidv7()];
    for (const key of ["a", "b", "c", "d"]) {
      const metadata = { [key]: "x".repeat(63 * 1024) };
      expect((await writer.session(aSession({ session_id: session, metadata }))).status).to.equal(200);
    }
    const tooMuch = { hook_event_name: "SessionStart", session_id: session, cwd: `/${"x".repeat(60_000)}` };
    const door = { url: writer.url, ingestKey: writer.key };
    expect((await postHook(door, "claude-code", tooMuch)).status).to.equal(204);
    const prompt = { hook_event_name: "UserPromptSubmit", session_id: session, prompt_id: "p", prompt: "Hello" };
    expect((await postHook(door, "claude-code", { ...prompt, cwd: "/w" })).status).to.equal(204);
    expect((await storedTrees(writer.organizationId)).map(({ args }) => args)).to.deep.equal(["Hello"]);
  });

  it("is a count beyond all belief, and is left out", async () => {
    const writer = await freshWriter();
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
    // So many of the greatest numbers that their sum is none of the database's.
    const records = Array.from({ length: 1_100 }, (_, at) => tokens(at));
    expect(await send(writer, "/v1/logs", logsRequest(records))).to.deep.equal({ status: 200, body: {} });
    expect(await writer.count()).to.equal(1_100);
    const stored = await writer.storedSession(sessionIdOf(writer.organizationId, "claude-code", "s"));
    expect([Number(stored?.["events"]), Number(stored?.["input_tokens"])]).to.deep.equal([1_100, 3]);
  }).timeout(60_000);
});
