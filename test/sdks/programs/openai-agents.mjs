import {
  Agent,
  BatchTraceProcessor,
  getGlobalTraceProvider,
  OpenAIProvider,
  OpenAITracingExporter,
  Runner,
  setTraceProcessors,
  tool,
} from "@openai/agents";
import * as agent from "./agent.mjs";

setTraceProcessors([
  new BatchTraceProcessor(new OpenAITracingExporter({ endpoint: process.env.TRACES_URL, apiKey: process.env.KEY })),
]);
const schema = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const text = { type: "string" };
const researcher = new Agent({ name: "researcher", instructions: "You are the Researcher.", model: "scripted-1" });
const assistant = new Agent({
  name: "assistant",
  instructions: "You are the assistant.",
  model: "scripted-1",
  tools: [
    tool({ name: "get_weather", description: "w", parameters: schema({ city: text }), execute: agent.getWeather }),
    tool({ name: "broken", description: "b", parameters: schema({}), execute: agent.broken }),
    researcher.asTool({ toolName: "ask_researcher", toolDescription: "asks" }),
  ],
});
const provider = new OpenAIProvider({ openAIClient: agent.client(), useResponses: false });
const runner = new Runner({
  modelProvider: provider,
  groupId: agent.SESSION,
  traceMetadata: { user_id: agent.USER },
  workflowName: "assistant",
});
const result = await runner.run(assistant, agent.QUESTION, { stream: true });
await result.completed;
console.log(result.finalOutput);
await getGlobalTraceProvider().forceFlush();
