import { join } from "node:path";
import type { JsonPart } from "../../files/json.ts";
import type { Agent, Connection } from "../agent.ts";
import { buildHookFile, buildHookParts } from "../parts/hook.ts";
import { createJsonFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import { addVariableBlock, EXPORT_TIMEOUTS, removeVariableBlock } from "../parts/telemetry-env.ts";
import { buildToolFile, buildToolPart } from "../parts/tools.ts";

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

/** Returns the variables for telemetry, because Qwen Code reads the telemetry key only from the environment. */
const variables = ({ ingestKey }: Connection) => ({
  OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${ingestKey}`,
  ...EXPORT_TIMEOUTS,
});

/**
 * Returns the telemetry settings. Only log records contain model and tokens. Existing telemetry settings of the user
 * stay unchanged.
 */
function telemetryParts({ url }: Connection, there: Record<string, unknown>): JsonPart[] {
  const logs = { otlpEndpoint: "", otlpLogsEndpoint: `${url}/v1/logs`, otlpProtocol: "http", logPrompts: true };
  const telemetry = { enabled: true, target: "local", ...logs };
  return there["telemetry"] === undefined || JSON.stringify(there["telemetry"]) === JSON.stringify(telemetry)
    ? [{ path: ["telemetry"], value: telemetry }]
    : [];
}

/** Qwen Code: hooks report turns, calls and subagents, its telemetry reports model and tokens. */
export const qwenCode: Agent = {
  name: NAME,
  title: "Qwen Code",
  program: "qwen",
  records: "hooks",
  own: (connection) => [buildHookFile(connection, qwenCode), buildToolFile(connection, NAME)],
  files: (connection) => [
    createJsonFile(join(connection.places.home, ".qwen", "settings.json"), JSON_WITH_COMMENTS, (there) => [
      ...buildHookParts(connection.places, NAME, Object.fromEntries(EVENTS.map((event) => [event, LIMIT]))),
      ...telemetryParts(connection, there),
      buildToolPart(connection, NAME, "mcpServers"),
    ]),
    {
      path: join(connection.places.home, ".qwen", ".env"),
      add: (bare) => addVariableBlock(bare, NAME, variables(connection)),
      has: (text, bare) => text.includes(addVariableBlock(bare, NAME, variables(connection)).slice(bare.length)),
      remove: (text) => removeVariableBlock(text, NAME),
    },
  ],
};
