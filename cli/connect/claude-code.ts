import { join } from "node:path";
import type { JsonPart } from "../files/json.ts";
import type { Places } from "../files/places.ts";
import { type Agent, type Connection, ownPaths } from "./agent.ts";
import { hookFile, quoted } from "./hook.ts";
import { hookParts } from "./hook-parts.ts";
import { jsonFile, STRICT } from "./json-file.ts";
import { toolFile, toolPart } from "./tools.ts";

const NAME = "claude-code";

/** What is worth recording. MessageDisplay, Notification and the like tell nothing that these do not. */
const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "StopFailure",
  "PreCompact",
  "SessionEnd",
];

const folder = ({ env, home }: Places) => env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
const settings = (places: Places) => join(folder(places), "settings.json");
const state = ({ env, home }: Places) =>
  env["CLAUDE_CONFIG_DIR"] ? join(env["CLAUDE_CONFIG_DIR"], ".claude.json") : join(home, ".claude.json");

/** Model, tokens and cost are in its log records alone. At its end it waits for them for less than a second. */
const telemetry = (url: string): Record<string, string> => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS: "800",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/v1/logs`,
  OTEL_LOGS_EXPORT_INTERVAL: "1000",
  OTEL_LOG_USER_PROMPTS: "1",
  OTEL_LOG_TOOL_DETAILS: "1",
});

const HELPER = "otelHeadersHelper";
const helper = (places: Places) => `cat ${quoted(ownPaths(places, NAME).headers)}`;

/** Whether its telemetry is ours to set: it goes nowhere yet, or to us. */
function isFree(places: Places, there: Record<string, unknown>): boolean {
  if (there[HELPER] !== undefined) return there[HELPER] === helper(places);
  const env = Object.keys((there["env"] as object | undefined) ?? {});
  return !env.some((name) => name.startsWith("OTEL_") || name in telemetry(""));
}

function telemetryParts({ places, url }: Connection): JsonPart[] {
  const variables = Object.entries(telemetry(url));
  return [
    { path: [HELPER], value: helper(places) },
    ...variables.map(([name, value]) => ({ path: ["env", name], value })),
  ];
}

/** Claude Code: hooks tell of turns and tools, log records of tokens and cost. */
export const claudeCode: Agent = {
  name: NAME,
  title: "Claude Code",
  program: "claude",
  records: "hooks",
  own: (connection) => [
    hookFile(connection, claudeCode),
    {
      path: ownPaths(connection.places, NAME).headers,
      text: `${JSON.stringify({ "x-api-key": connection.ingestKey })}\n`,
    },
    toolFile(connection, NAME),
  ],
  files: (connection) => [
    jsonFile(settings(connection.places), STRICT, (there) => [
      ...hookParts(connection.places, NAME, Object.fromEntries(EVENTS.map((event) => [event, { timeout: 10 }]))),
      ...(isFree(connection.places, there) ? telemetryParts(connection) : []),
    ]),
    jsonFile(state(connection.places), STRICT, () => [
      toolPart(connection, NAME, "mcpServers", { before: { type: "stdio" } }),
    ]),
  ],
  notes: ({ places }, texts) =>
    isFree(places, JSON.parse(texts.get(settings(places)) || "{}"))
      ? []
      : [
          "Its telemetry goes elsewhere already and is left alone: turns and tools are recorded, model, tokens and cost are not.",
        ],
};
