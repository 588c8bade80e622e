import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import * as agent from "./agent.mjs";

const exporter = new OTLPTraceExporter({ compression: CompressionAlgorithm.GZIP });
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
provider.register();
const tracer = trace.getTracer("sdks");
const text = (value) => JSON.stringify([{ role: "user", parts: [{ type: "text", content: value }] }]);
const spanned = (name, attributes, done, work) => (input) =>
  tracer.startActiveSpan(name, { attributes: attributes(input) }, context.active(), async (span) => {
    try {
      const output = await work(input);
      span.setAttributes(done(output));
      return output;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      throw error;
    } finally {
      span.end();
    }
  });
const tool = (name, work) =>
  spanned(
    `execute_tool ${name}`,
    (input) => ({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.arguments": JSON.stringify(input),
    }),
    (output) => ({ "gen_ai.tool.call.result": output }),
    work,
  );
const invoked = (name, work) =>
  spanned(
    `invoke_agent ${name}`,
    (input) => ({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": name,
      "gen_ai.conversation.id": agent.SESSION,
      "gen_ai.input.messages": text(typeof input === "string" ? input : input.question),
    }),
    (output) => ({ "gen_ai.output.messages": text(output) }),
    work,
  );
const openai = agent.client();
const create = openai.chat.completions.create.bind(openai.chat.completions);
openai.chat.completions.create = spanned(
  "chat scripted-1",
  ({ model, messages }) => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": model,
    "gen_ai.input.messages": JSON.stringify(messages),
  }),
  () => ({
    "gen_ai.usage.input_tokens": 120,
    "gen_ai.usage.output_tokens": 20,
    "gen_ai.usage.cache_read.input_tokens": 40,
  }),
  create,
);
const tools = {
  get_weather: tool("get_weather", agent.getWeather),
  broken: tool("broken", agent.broken),
  ask_researcher: invoked("researcher", (input) => agent.research(openai, input)),
};
console.log(await invoked("assistant", (question) => agent.converse(openai, question, tools))(agent.QUESTION));
await provider.shutdown();
