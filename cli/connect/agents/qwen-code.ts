import { join } from "node:path";
import type { JsonPart } from "../../files/json.ts";
import type { Agent, Connection } from "../agent.ts";
import { hookFile, hookParts } from "../parts/hook.ts";
import { jsonFile, LENIENT } from "../parts/json-file.ts";
import { addBlock, DEADLINES, removeBlock } from "../parts/telemetry-env.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

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

/** Telemetry's key comes from the environment alone. */
const variables = ({ ingestKey }: Connection) => ({
  OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${ingestKey}`,
  ...DEADLINES,
});

/** Model and tokens are in its log records alone. Its telemetry is ours to set while it goes nowhere yet. */
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
  own: (connection) => [hookFile(connection, qwenCode), toolFile(connection, NAME)],
  files: (connection) => [
    jsonFile(join(connection.places.home, ".qwen", "settings.json"), LENIENT, (there) => [
      ...hookParts(connection.places, NAME, Object.fromEntries(EVENTS.map((event) => [event, LIMIT]))),
      ...telemetryParts(connection, there),
      toolPart(connection, NAME, "mcpServers"),
    ]),
    {
      path: join(connection.places.home, ".qwen", ".env"),
      add: (bare) => addBlock(bare, NAME, variables(connection)),
      has: (text, bare) => text.includes(addBlock(bare, NAME, variables(connection)).slice(bare.length)),
      remove: (text) => removeBlock(text, NAME),
    },
  ],
};
