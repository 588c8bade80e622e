import { join } from "node:path";
import type { JsonPart } from "../../files/json.ts";
import type { Agent, AgentConnection } from "../agent.ts";
import { buildHookFile, buildHookParts } from "../parts/hook.ts";
import { defineJsonConfigFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import { addVariableBlock, OTEL_EXPORT_TIMEOUT_VARIABLES, removeVariableBlock } from "../parts/telemetry-env.ts";
import { buildMcpEnvFile, buildMcpServerJsonPart } from "../parts/tools.ts";

const NAME = "qwen-code";
const LIMIT = { name: "trackway", timeout: 10_000 };
const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "StopFailure",
  "SessionEnd",
];

/**
 * Returns the environment variables for telemetry. The key is an environment variable, because Qwen Code reads the
 * telemetry key only from there.
 */
const variables = ({ ingestKey }: AgentConnection) => ({
  OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${ingestKey}`,
  ...OTEL_EXPORT_TIMEOUT_VARIABLES,
});

/**
 * Returns the telemetry settings, which enable only log records because only log records contain model and tokens. If
 * the user already has other telemetry settings, they stay unchanged.
 */
function telemetryParts({ url }: AgentConnection, there: Record<string, unknown>): JsonPart[] {
  const logs = { otlpEndpoint: "", otlpLogsEndpoint: `${url}/v1/logs`, otlpProtocol: "http", logPrompts: true };
  const telemetry = { enabled: true, target: "local", ...logs };
  return there["telemetry"] === undefined || JSON.stringify(there["telemetry"]) === JSON.stringify(telemetry)
    ? [{ path: ["telemetry"], value: telemetry }]
    : [];
}

/**
 * Qwen Code, which is recorded in two ways: hooks report turns, tool calls and subagents, and telemetry reports model
 * and tokens.
 */
export const qwenCode: Agent = {
  name: NAME,
  title: "Qwen Code",
  program: "qwen",
  records: "hooks",
  own: (connection) => [buildHookFile(connection, qwenCode), buildMcpEnvFile(connection, NAME)],
  files: (connection) => [
    defineJsonConfigFile(join(connection.places.home, ".qwen", "settings.json"), JSON_WITH_COMMENTS, (there) => [
      ...buildHookParts(connection.places, NAME, Object.fromEntries(EVENTS.map((event) => [event, LIMIT]))),
      ...telemetryParts(connection, there),
      buildMcpServerJsonPart(connection, NAME, "mcpServers"),
    ]),
    {
      path: join(connection.places.home, ".qwen", ".env"),
      add: (bare) => addVariableBlock(bare, NAME, variables(connection)),
      has: (text, bare) => text.includes(addVariableBlock(bare, NAME, variables(connection)).slice(bare.length)),
      remove: (text) => removeVariableBlock(text, NAME),
    },
  ],
};
