import { expect } from "chai";
import { type StoredNode, writeOutline } from "../../support/recording/otlp.ts";
import { recordTelemetry, type TestLogRecord, type TestSpan } from "../../support/recording/telemetry.ts";
import { startSharedServer } from "../../support/server.ts";

const messages = (...said: [string, string][]) =>
  JSON.stringify(said.map(([role, content]) => ({ role, parts: [{ type: "text", content }] })));
const chat = (...said: [string, string][]) => JSON.stringify(said.map(([role, content]) => ({ role, content })));

/** Run of an agent in the terms of one convention, and the differences from the values that all conventions share. */
interface Case {
  name: string;
  spans: TestSpan[];
  logs?: TestLogRecord[];
  model?: string;
  usage?: (number | null)[];
  /** Name of the agent, if the convention reports a name. */
  agent?: string;
}

const USAGE = [12, 5, 3, null];
const GEN_AI_USAGE = [12, 5, 3, 2];
const GEN_AI = [
  { id: 1, name: "POST /ask" },
  {
    id: 2,
    parent: 1,
    at: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "helper",
      "gen_ai.conversation.id": "c-1",
      "user.id": "u-1",
      "gen_ai.input.messages": messages(["system", "Be brief."], ["user", "Weather?"]),
      "gen_ai.output.messages": messages(["assistant", "Sunny."]),
      "gen_ai.usage.input_tokens": 12,
    },
  },
  {
    id: 3,
    parent: 2,
    at: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.response.model": "m-1",
      "gen_ai.conversation.id": "c-1",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 3,
      "gen_ai.usage.cache_write.input_tokens": 2,
      "gen_ai.input.messages": messages(["user", "Weather?"]),
      "gen_ai.output.messages": messages(["assistant", "Sunny."]),
    },
  },
  {
    id: 4,
    parent: 2,
    failed: "it broke",
    at: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "forecast",
      "gen_ai.tool.call.id": "call-1",
      "gen_ai.conversation.id": "c-1",
      "gen_ai.tool.call.arguments": '{"city":"Paris"}',
    },
  },
];

const CASES: Case[] = [
  { name: "GenAI", spans: GEN_AI, model: "m-1", usage: GEN_AI_USAGE, agent: "helper" },
  {
    name: "GenAI with its attributes of old, and messages in events of spans",
    agent: "helper",
    model: "m",
    usage: USAGE,
    spans: [
      {
        id: 2,
        at: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "helper",
          "session.id": "c-1",
          "enduser.id": "u-1",
        },
        events: [
          { name: "gen_ai.content.prompt", at: { "gen_ai.prompt": chat(["user", "Weather?"]) } },
          { name: "gen_ai.content.completion", at: { "gen_ai.completion": chat(["assistant", "Sunny."]) } },
        ],
      },
      {
        id: 3,
        parent: 2,
        at: {
          "gen_ai.operation.name": "chat",
          "gen_ai.request.model": "m",
          "session.id": "c-1",
          "gen_ai.usage.prompt_tokens": 12,
          "gen_ai.usage.completion_tokens": 5,
          "gen_ai.usage.cache_read_input_tokens": 3,
        },
        events: [
          { name: "gen_ai.user.message", at: { content: "Weather?" } },
          { name: "gen_ai.choice", at: { message: chat(["assistant", "Sunny."]) } },
        ],
      },
      {
        id: 4,
        parent: 2,
        failed: "it broke",
        at: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "forecast",
          "session.id": "c-1",
          "gen_ai.tool.arguments": '{"city":"Paris"}',
        },
      },
    ],
  },
  {
    name: "GenAI with messages in log records",
    agent: "helper",
    model: "m",
    usage: GEN_AI_USAGE,
    spans: GEN_AI.map((span) => ({
      ...span,
      at: Object.fromEntries(
        Object.entries(span.at ?? {}).filter(([key]) => span.id !== 3 || !/messages|response/.test(key)),
      ),
    })),
    logs: [
      { span: 3, name: "gen_ai.user.message", body: { content: "Weather?" } },
      { span: 3, name: "gen_ai.choice", body: { index: 0, message: { role: "assistant", content: "Sunny." } } },
    ],
  },
  {
    name: "OpenInference",
    agent: "agent",
    model: "m-1",
    usage: USAGE,
    spans: [
      {
        id: 2,
        name: "agent",
        at: {
          "openinference.span.kind": "AGENT",
          "session.id": "c-1",
          "user.id": "u-1",
          "input.value": "Weather?",
          "output.value": "Sunny.",
        },
      },
      { id: 5, parent: 2, at: { "openinference.span.kind": "CHAIN" } },
      {
        id: 3,
        parent: 5,
        at: {
          "openinference.span.kind": "LLM",
          "session.id": "c-1",
          "llm.model_name": "m-1",
          "llm.input_messages.0.message.content": "Be brief.",
          "llm.input_messages.1.message.content": "Weather?",
          "llm.output_messages.0.message.content": "Sunny.",
          "llm.token_count.prompt": 12,
          "llm.token_count.completion": 5,
          "llm.token_count.prompt_details.cache_read": 3,
        },
      },
      {
        id: 4,
        parent: 5,
        failed: "it broke",
        at: {
          "openinference.span.kind": "TOOL",
          "session.id": "c-1",
          "tool.name": "forecast",
          "input.value": '{"city":"Paris"}',
        },
      },
    ],
  },
  {
    name: "the Vercel AI SDK",
    agent: "helper",
    model: "m-1",
    usage: USAGE,
    spans: [
      {
        id: 2,
        name: "ai.generateText",
        at: {
          "ai.telemetry.functionId": "helper",
          "ai.telemetry.metadata.sessionId": "c-1",
          "ai.telemetry.metadata.userId": "u-1",
          "ai.prompt": JSON.stringify({
            system: "Be brief.",
            messages: [{ role: "user", content: [{ type: "text", text: "Weather?" }] }],
          }),
          "ai.response.text": "Sunny.",
          "ai.usage.promptTokens": 12,
        },
      },
      {
        id: 3,
        parent: 2,
        name: "ai.generateText.doGenerate",
        at: {
          "ai.telemetry.metadata.sessionId": "c-1",
          "ai.response.model": "m-1",
          "ai.prompt.messages": chat(["user", "Weather?"]),
          "ai.response.text": "Sunny.",
          "ai.usage.promptTokens": 12,
          "ai.usage.completionTokens": 5,
          "ai.usage.cachedInputTokens": 3,
        },
      },
      {
        id: 4,
        parent: 2,
        name: "ai.toolCall",
        failed: "it broke",
        at: {
          "ai.telemetry.metadata.sessionId": "c-1",
          "ai.toolCall.name": "forecast",
          "ai.toolCall.id": "call-1",
          "ai.toolCall.args": '{"city":"Paris"}',
        },
      },
    ],
  },
  {
    name: "OpenLLMetry",
    agent: "helper",
    model: "m-1",
    usage: USAGE,
    spans: [
      {
        id: 2,
        name: "helper.workflow",
        at: {
          "traceloop.span.kind": "workflow",
          "traceloop.entity.name": "helper",
          "traceloop.entity.input": "Weather?",
          "traceloop.entity.output": "Sunny.",
          "traceloop.association.properties.session_id": "c-1",
          "traceloop.association.properties.user_id": "u-1",
        },
      },
      { id: 5, parent: 2, name: "ask.task", at: { "traceloop.span.kind": "task", "traceloop.entity.name": "ask" } },
      {
        id: 3,
        parent: 5,
        name: "openai.chat",
        at: {
          "llm.request.type": "chat",
          "traceloop.association.properties.session_id": "c-1",
          "gen_ai.response.model": "m-1",
          "gen_ai.prompt.0.content": "Be brief.",
          "gen_ai.prompt.1.content": "Weather?",
          "gen_ai.completion.0.content": "Sunny.",
          "gen_ai.usage.prompt_tokens": 12,
          "gen_ai.usage.completion_tokens": 5,
          "gen_ai.usage.cache_read_input_tokens": 3,
        },
      },
      {
        id: 4,
        parent: 5,
        name: "forecast.tool",
        failed: "it broke",
        at: {
          "traceloop.span.kind": "tool",
          "traceloop.entity.name": "forecast",
          "traceloop.entity.input": '{"city":"Paris"}',
          "traceloop.association.properties.session_id": "c-1",
        },
      },
    ],
  },
  {
    name: "Langfuse",
    agent: "helper",
    model: "m-1",
    usage: USAGE,
    spans: [
      {
        id: 2,
        name: "helper",
        at: {
          "langfuse.observation.type": "span",
          "langfuse.session.id": "c-1",
          "langfuse.user.id": "u-1",
          "langfuse.observation.input": chat(["user", "Weather?"]),
          "langfuse.observation.output": "Sunny.",
        },
      },
      {
        id: 3,
        parent: 2,
        name: "m-1",
        at: {
          "langfuse.observation.type": "generation",
          "langfuse.session.id": "c-1",
          "langfuse.observation.model.name": "m-1",
          "langfuse.observation.input": chat(["user", "Weather?"]),
          "langfuse.observation.output": '{"role":"assistant","content":"Sunny."}',
          "langfuse.observation.usage_details": '{"input_tokens":12,"output":5,"cache_read_input_tokens":3}',
          "langfuse.observation.cost_details": '{"total":0.25}',
        },
      },
      {
        id: 4,
        parent: 2,
        name: "forecast",
        at: {
          "langfuse.observation.type": "tool",
          "langfuse.session.id": "c-1",
          "langfuse.observation.input": '{"city":"Paris"}',
          "langfuse.observation.level": "ERROR",
          "langfuse.observation.status_message": "it broke",
        },
      },
    ],
  },
];

const byKind = ([turn]: StoredNode[], kind: string) => turn?.children.find((node) => node["kind"] === kind);

describe("telemetry conventions", () => {
  for (const { name, spans, logs, agent, model, usage } of CASES) {
    it(`recognize ${name} and give the same events for the same run`, async () => {
      const { trees: all, organizationId } = await recordTelemetry(spans.toReversed(), logs);
      const trees = all.filter(({ kind }) => kind !== "other");
      expect(writeOutline(trees)).to.equal(`turn ${agent}\n  llm ${model}\n  tool forecast failed\n`);
      expect(trees[0]).to.include({ args: "Weather?", result: "Sunny.", open: false, latency: 500, input: null });
      const llm = byKind(trees, "llm");
      expect(llm).to.include({ args: "Weather?", result: "Sunny.", model, success: true });
      expect(["input", "output", "cacheRead", "cacheWrite"].map((key) => llm?.[key])).to.deep.equal(usage);
      expect(llm?.["cost"]).to.equal(name === "Langfuse" ? 0.25 : null);
      const tool = byKind(trees, "tool");
      expect(tool).to.include({ args: '{"city":"Paris"}', result: "it broke", error: "it broke", latency: 500 });
      const sessions = await sessionsOf(organizationId);
      expect(sessions).to.deep.equal([{ external_id: "c-1", source: "demo", user_id: "u-1" }]);
    });
  }

  it("recognize a tool call over MCP and its failure", async () => {
    const { trees } = await recordTelemetry([
      { id: 1, name: "initialize", at: { "mcp.method.name": "initialize" } },
      {
        id: 2,
        name: "tools/call forecast",
        at: { "mcp.method.name": "tools/call", "gen_ai.tool.call.arguments": "{}" },
      },
      {
        id: 3,
        name: "tools/call x",
        at: { "mcp.method.name": "tools/call", "gen_ai.tool.name": "rain", "error.type": "tool_error" },
      },
    ]);
    expect(writeOutline(trees)).to.equal("tool forecast\ntool rain failed\n");
    expect(trees[1]).to.include({ error: "tool_error" });
  });

  it("use the trace as the session when no conversation is named", async () => {
    const at = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t" };
    const { trees, organizationId } = await recordTelemetry([
      { id: 1, at },
      { id: 2, trace: 2, at },
    ]);
    expect(new Set(trees.map(({ session_id }) => session_id)).size).to.equal(2);
    expect((await sessionsOf(organizationId)).map(({ external_id }) => external_id)).to.have.members([
      "1".padStart(32, "0"),
      "2".padStart(32, "0"),
    ]);
  });

  it("join traces of one conversation, with a subagent below the call that started it", async () => {
    const agent = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "helper",
      "gen_ai.conversation.id": "c",
    };
    const { trees } = await recordTelemetry([
      { id: 1, at: agent },
      { id: 2, parent: 1, at: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ask" } },
      { id: 3, parent: 2, name: "between" },
      { id: 4, parent: 3, at: { ...agent, "gen_ai.agent.name": "inner" } },
      { id: 5, trace: 2, at: agent },
    ]);
    expect(writeOutline(trees)).to.equal(
      "turn helper\n  tool ask\n    other between\n    subagent inner\nturn helper\n",
    );
    expect(new Set(trees.map(({ session_id }) => session_id)).size).to.equal(1);
  });

  it("store values with too deep nesting as text", async () => {
    const deep = "[".repeat(9_000) + "]".repeat(9_000);
    const { trees } = await recordTelemetry(
      [],
      [
        {
          at: {
            "event.name": "gemini_cli.tool_call",
            "session.id": "s",
            prompt_id: "p",
            function_name: "t",
            function_args: deep,
          },
        },
      ],
    );
    expect(trees[0]).to.include({ kind: "tool", args: deep });
  });

  it("keep spans without a meaning, which still link their children to their parents", async () => {
    const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t" };
    const { trees } = await recordTelemetry([
      { id: 4, parent: 3, at: tool },
      { id: 3, parent: 2, name: "SELECT" },
      { id: 2, parent: 1, name: "GET /" },
      { id: 1, at: { "gen_ai.operation.name": "invoke_agent" } },
    ]);
    expect(writeOutline(trees)).to.equal("turn demo\n  other GET /\n  other SELECT\n  tool t\n");
  });
});

async function sessionsOf(organizationId: string): Promise<Record<string, unknown>[]> {
  const { db } = (await startSharedServer()).runtime;
  const text = "select external_id, source, user_id from recorded_session where organization_id = $1";
  return db.query({ text, values: [organizationId] });
}
