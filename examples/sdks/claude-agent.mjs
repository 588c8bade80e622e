// npm install @anthropic-ai/claude-agent-sdk
import { query } from "@anthropic-ai/claude-agent-sdk";

// OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS contain the address and the key of Trackway.
const telemetry = {
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_LOG_USER_PROMPTS: "1",
  OTEL_LOG_TOOL_DETAILS: "1",
  OTEL_LOG_TOOL_CONTENT: "1",
};
const prompt = process.argv[2] ?? "Which version is node here?";
const options = { env: { ...process.env, ...telemetry }, allowedTools: ["Bash"] };
for await (const message of query({ prompt, options })) if (message.type === "result") console.log(message.result);
