import { expect } from "chai";
import fc from "fast-check";
import { createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { postOtlp, readStoredTrees, type StoredNode, writeOutline } from "../support/recording/otlp.ts";
import {
  buildLogsRequest,
  buildSpansRequest,
  type TestLogRecord,
  type TestSpan,
} from "../support/recording/telemetry.ts";
import { scaleRuns } from "../support/run/runs.ts";

/** Report of a source, in a separate request. */
type Step = { span: TestSpan } | { log: TestLogRecord } | { hook: object };

async function tell(writer: IngestWriter, step: Step): Promise<void> {
  if ("hook" in step) {
    const door = { url: writer.url, ingestKey: writer.key };
    expect((await postHook(door, "claude-code", step.hook)).status).to.equal(204);
    return;
  }
  const [path, body] =
    "span" in step ? ["/v1/traces", buildSpansRequest([step.span])] : ["/v1/logs", buildLogsRequest([step.log])];
  const { status, bytes } = await postOtlp(writer, path, Buffer.from(JSON.stringify(body)));
  expect([status, bytes.toString()]).to.deep.equal([200, "{}"]);
}

/** Sends the steps in random orders, each up to twice, and checks the resulting trees. */
async function inAnyOrder(steps: readonly Step[], check: (trees: StoredNode[]) => void): Promise<void> {
  const again = fc
    .subarray([...steps])
    .chain((more) => fc.shuffledSubarray([...steps, ...more], { minLength: steps.length + more.length }));
  await fc.assert(
    fc.asyncProperty(again, async (order) => {
      const writer = await createWriter();
      for (const step of order) await tell(writer, step);
      check(await readStoredTrees(writer.organizationId));
    }),
    { numRuns: scaleRuns(25) },
  );
}

const SESSION = { "gen_ai.conversation.id": "c" };
const AGENT: TestSpan = {
  id: 1,
  at: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper", ...SESSION },
};
const chat = (id: number, at: object): TestSpan => ({
  id,
  parent: 1,
  at: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", ...SESSION, ...at },
});
const CHAT = chat(2, { "gen_ai.response.id": "r-1", "gen_ai.usage.input_tokens": 7 });
const SAID: Step = { log: { span: 2, name: "gen_ai.user.message", body: { content: "Weather?" } } };
const CHOSE: Step = { log: { span: 2, name: "gen_ai.choice", body: { message: { content: "Sunny." } } } };
const TOOL: TestSpan = {
  id: 3,
  parent: 2,
  at: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "forecast",
    "gen_ai.tool.call.id": "t-1",
    ...SESSION,
  },
};
const details = (span: number): Step => ({
  log: {
    span,
    name: "gen_ai.client.inference.operation.details",
    at: { "gen_ai.response.id": "r-1", "gen_ai.response.model": "m", ...SESSION },
  },
});

describe("several reports about one span", () => {
  it("give one model call when messages name the span and the span names the response", async () => {
    await inAnyOrder([{ span: AGENT }, { span: CHAT }, SAID, CHOSE], (trees) => {
      expect(writeOutline(trees)).to.equal("turn helper\n  llm m\n");
      expect(trees[0]?.children[0]).to.include({ args: "Weather?", result: "Sunny.", input: 7 });
    });
  }).timeout(60_000);

  it("give one model call with its children when only a log names the response", async () => {
    const steps = [{ span: AGENT }, { span: chat(2, {}) }, { span: TOOL }, details(2), SAID];
    await inAnyOrder(steps, (trees) => {
      expect(writeOutline(trees)).to.equal("turn helper\n  llm m\n    tool forecast\n");
    });
  }).timeout(60_000);

  it("give a turn with a model call when a log with a response id names the turn's span", async () => {
    await inAnyOrder([{ span: AGENT }, details(1)], (trees) => {
      expect(writeOutline(trees)).to.equal("turn helper\n  llm m\n");
    });
  }).timeout(60_000);
});

describe("a turn without a reported reply", () => {
  const answer = (id: number, text: string) =>
    chat(id, {
      "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: text }] }]),
    });

  it("shows the reply of its last model call", async () => {
    await inAnyOrder(
      [{ span: AGENT }, { span: answer(3, "Sunny.") }, { span: answer(2, "Let me look.") }],
      ([turn]) => {
        expect(turn).to.include({ kind: "turn", open: false, result: "Sunny." });
      },
    );
  }).timeout(60_000);

  it("shows its own reply once reported", async () => {
    const { at } = answer(1, "It will be sunny.");
    const told = { ...AGENT, at: { ...at, ...AGENT.at } };
    await inAnyOrder([{ span: AGENT }, { span: answer(2, "Sunny.") }, { span: told }], ([turn]) => {
      expect(turn).to.include({ kind: "turn", result: "It will be sunny." });
    });
  }).timeout(60_000);

  it("shows the last model call's reply while open, and the previous call's reply if the last call failed", async () => {
    const writer = await createWriter();
    const at = (name: string, more: object) => ({ "event.name": name, "session.id": "s", "prompt.id": "p", ...more });
    const log = (name: string, more: object) =>
      tell(writer, { log: { span: 1, name, body: `claude_code.${name}`, at: at(name, more) } });
    await log("user_prompt", { prompt: "Hi" });
    await log("assistant_response", { request_id: "r", model: "m", response: "Hello." });
    expect((await readStoredTrees(writer.organizationId))[0]).to.include({ open: true, result: "Hello." });
    await tell(writer, { span: { id: 1, name: "claude_code.interaction", at: { "session.id": "s" } } });
    await log("api_error", { request_id: "r2", model: "m", error: "overloaded" });
    expect((await readStoredTrees(writer.organizationId))[0]).to.include({
      kind: "turn",
      open: false,
      result: "Hello.",
    });
  });
});

describe("a turn that only a trace reports", () => {
  const OURS = { "session.id": "9b2c4c1e-1111-4222-8333-444455556666" };
  const PROMPT = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const CALL: Step = {
    log: {
      span: 1,
      name: "tool_result",
      body: "claude_code.tool_result",
      at: {
        "event.name": "tool_result",
        "prompt.id": PROMPT,
        tool_use_id: "t",
        tool_name: "Read",
        success: "true",
        ...OURS,
      },
    },
  };
  const TURN: Step = { span: { id: 1, name: "claude_code.interaction", at: { user_prompt: "Hi", ...OURS } } };
  const HOOK: Step = {
    hook: {
      session_id: OURS["session.id"],
      hook_event_name: "UserPromptSubmit",
      prompt_id: PROMPT,
      prompt: "Hi",
      cwd: "/",
    },
  };

  it("merges with the turn of a log and a hook, in any order", async () => {
    await inAnyOrder([CALL, TURN, HOOK], (trees) => {
      expect(writeOutline(trees)).to.equal("turn claude-code\n  tool Read\n");
    });
  }).timeout(60_000);
});
