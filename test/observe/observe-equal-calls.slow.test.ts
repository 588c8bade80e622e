import { expect } from "chai";
import { createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { postOtlp } from "../support/recording/otlp.ts";
import { buildLogsRequest } from "../support/recording/telemetry.ts";

const SESSION = "0190163d-8694-739b-aea5-966c26f8ad91";
const CALL = {
  "event.name": "gemini_cli.tool_call",
  "session.id": SESSION,
  prompt_id: "p",
  function_name: "read_file",
  function_args: '{"path":"a"}',
  duration_ms: 7,
  success: true,
};

/** Builds calls of a tool with the same input, a minute apart. */
function callsOf(count: number, from = 0): object {
  const sent: any = buildLogsRequest(Array.from({ length: count }, () => ({ at: CALL })));
  for (const [at, record] of sent.resourceLogs[0].scopeLogs[0].logRecords.entries())
    record.timeUnixNano = `${Date.UTC(2026, 9, 1) + (from + at) * 60_000}000000`;
  return sent;
}

async function send(writer: IngestWriter, body: object): Promise<unknown> {
  const { status, bytes } = await postOtlp(writer, "/v1/logs", Buffer.from(JSON.stringify(body)));
  expect(status).to.equal(200);
  return JSON.parse(bytes.toString());
}

const MANY = 2_000;

describe("equal tool calls of an agent without call ids", () => {
  it("become separate events, for thousands of calls in any order", async () => {
    const writer = await createWriter();
    for (let from = MANY - 500; from >= 0; from -= 500)
      expect(await send(writer, callsOf(500, from))).to.deep.equal({});
    expect(await send(writer, callsOf(20))).to.deep.equal({});
    expect(await writer.count()).to.equal(MANY);
    expect(Number((await writer.storedSession(SESSION))?.["tool_calls"])).to.equal(MANY);
    const hook = { hook_event_name: "BeforeTool", session_id: SESSION, tool_name: "read_file" };
    for (const path of ["a", "b"])
      await postHook({ url: writer.url, ingestKey: writer.key }, "gemini-cli", { ...hook, tool_input: { path } });
    expect(await writer.count()).to.equal(MANY + 2);
  }).timeout(120_000);

  it("stay unchanged when one of hundreds of equal calls is reported again", async () => {
    const writer = await createWriter();
    expect(await send(writer, callsOf(300))).to.deep.equal({});
    const events = { url: writer.url, ingestKey: writer.key };
    const at = new Date(Date.UTC(2026, 9, 1) + 299 * 60_000 - 7).toISOString();
    const hook = { session_id: SESSION, tool_name: "read_file", tool_input: { path: "a" }, timestamp: at };
    await postHook(events, "gemini-cli", { hook_event_name: "BeforeTool", ...hook });
    await postHook(events, "gemini-cli", {
      hook_event_name: "AfterTool",
      ...hook,
      tool_response: { llmContent: "what it reads" },
    });
    expect(await writer.count()).to.equal(300);
  });
});
