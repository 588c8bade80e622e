import { ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { expect } from "chai";
import { createWriter, type IngestWriter, startAnotherServer } from "../../support/recording/ingest.ts";
import { readStoredTrees, writeOutline } from "../../support/recording/otlp.ts";
import { startSharedServer } from "../../support/server.ts";

const resource = resourceFromAttributes({ "service.name": "real" });
const TREE = "turn helper\n  llm m\n  tool forecast failed\n";

/** Configuration of a program's exporter. */
type Setting = (writer: IngestWriter) => {
  url: string;
  headers: Record<string, string>;
  compression?: CompressionAlgorithm;
};

const EXPORTERS: Record<string, [typeof JsonExporter | typeof ProtobufExporter, Setting]> = {
  "JSON, key in x-api-key": [
    JsonExporter,
    ({ url, key }) => ({ url: `${url}/v1/traces`, headers: { "x-api-key": key } }),
  ],
  "protobuf, gzip, key as a bearer token": [
    ProtobufExporter,
    ({ url, key }) => ({
      url: `${url}/v1/traces`,
      headers: { Authorization: `Bearer ${key}` },
      compression: CompressionAlgorithm.GZIP,
    }),
  ],
  "JSON at Langfuse's path, key as password": [
    JsonExporter,
    ({ url, key }) => ({
      url: `${url}/api/public/otel/v1/traces`,
      headers: { Authorization: `Basic ${Buffer.from(`pk:${key}`).toString("base64")}` },
    }),
  ],
};

/** Creates spans of a turn with a model call and a failing tool, as an instrumented program does. */
function runAgent(provider: BasicTracerProvider): void {
  const tracer = provider.getTracer("test");
  const turn = tracer.startSpan("invoke_agent helper", {
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "helper",
      "gen_ai.conversation.id": "c",
    },
  });
  const child = (name: string, attributes: Record<string, string | number>) =>
    tracer.startSpan(name, { attributes }, trace.setSpan(ROOT_CONTEXT, turn));
  child("chat m", {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.usage.input_tokens": 7,
  }).end();
  const tool = child("execute_tool t", { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "forecast" });
  tool.recordException(new Error("it broke"));
  tool.setStatus({ code: SpanStatusCode.ERROR });
  tool.end();
  turn.end();
}

describe("OpenTelemetry's own exporters", () => {
  for (const [name, [Exporter, setting]] of Object.entries(EXPORTERS)) {
    it(`send spans without extra configuration: ${name}`, async () => {
      const writer = await createWriter();
      const processor = new SimpleSpanProcessor(new Exporter(setting(writer)));
      const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
      runAgent(provider);
      await provider.forceFlush();
      await provider.shutdown();
      const trees = await readStoredTrees(writer.organizationId);
      expect(writeOutline(trees)).to.equal(TREE);
      expect(trees[0]?.children[1]).to.include({ error: "it broke" });
    });
  }

  it("send log records without extra configuration", async () => {
    const writer = await createWriter();
    const exporter = new OTLPLogExporter({ url: `${writer.url}/v1/logs`, headers: { "x-api-key": writer.key } });
    const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] });
    provider.getLogger("test").emit({
      body: "claude_code.user_prompt",
      attributes: { "event.name": "user_prompt", "session.id": "s", "prompt.id": "p", prompt: "Hi" },
    });
    await provider.forceFlush();
    await provider.shutdown();
    expect((await readStoredTrees(writer.organizationId))[0]).to.include({
      name: "claude-code",
      args: "Hi",
      open: true,
    });
  });

  it("retry a refused export after Retry-After", async () => {
    const { runtime } = await startSharedServer();
    const instance = await startAnotherServer({}, { config: { ...runtime.config, INGEST_RATE_REQUESTS: 1 } });
    const writer = await createWriter(instance);
    const exporter = new ProtobufExporter({ url: `${writer.url}/v1/traces`, headers: { "x-api-key": writer.key } });
    const provider = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] });
    runAgent(provider);
    await provider.forceFlush();
    await provider.shutdown();
    expect(writeOutline(await readStoredTrees(writer.organizationId))).to.equal(TREE);
    await instance.close();
  });
});
