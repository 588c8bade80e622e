// npm install ai @ai-sdk/openai-compatible @ai-sdk/otel @opentelemetry/sdk-node zod
import { execSync } from "node:child_process";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenTelemetry } from "@ai-sdk/otel";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";

const sdk = new NodeSDK({ serviceName: "assistant" }); // OTEL_EXPORTER_OTLP_ENDPOINT and …_HEADERS set its target.
sdk.start();
registerTelemetry(new OpenTelemetry({ runtimeContext: true }));
const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = "" } = process.env;
const inputSchema = z.object({ command: z.string() });
const shell = tool({ inputSchema, execute: ({ command }) => execSync(command, { encoding: "utf8" }) });
const telemetry = { functionId: "assistant", includeRuntimeContext: { sessionId: true, userId: true } };
const who = { runtimeContext: { sessionId: "chat-1", userId: "ada" }, telemetry };
const prompt = process.argv[2] ?? "Which version is node here?";
const chat = createOpenAICompatible({ name: "any", baseURL, apiKey })(model);
console.log((await generateText({ model: chat, prompt, tools: { shell }, stopWhen: isStepCount(9), ...who })).text);
await sdk.shutdown();
