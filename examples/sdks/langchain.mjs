// npm install langchain @langchain/{core,openai} @arizeai/openinference-instrumentation-langchain @opentelemetry/sdk-node zod
import { execSync } from "node:child_process";
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbacks from "@langchain/core/callbacks/manager";
import { ChatOpenAI } from "@langchain/openai";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { createAgent, createMiddleware, ToolMessage, tool } from "langchain";
import { z } from "zod";

const sdk = new NodeSDK({ serviceName: "assistant" }); // OTEL_EXPORTER_OTLP_ENDPOINT and …_HEADERS set its target.
sdk.start();
new LangChainInstrumentation().manuallyInstrument(callbacks);
const about = { name: "shell", description: "Runs it", schema: z.object({ command: z.string() }) };
const shell = tool(({ command }) => execSync(command, { encoding: "utf8" }), about);
const sorry = (call) => (error) => new ToolMessage({ content: String(error), tool_call_id: call.id, status: "error" });
const wrapToolCall = async (request, next) => next(request).catch(sorry(request.toolCall));
const middleware = [createMiddleware({ name: "failures", wrapToolCall })];
const agent = createAgent({ model: new ChatOpenAI({ model: process.env.OPENAI_MODEL }), tools: [shell], middleware });
const messages = [{ role: "user", content: process.argv[2] ?? "Which version is node here?" }];
console.log((await agent.invoke({ messages }, { metadata: { session_id: "chat-1" } })).messages.at(-1)?.content);
await sdk.shutdown();
