import { join } from "node:path";
import { readOwn } from "../../../formats/own.ts";
import { type JsonPart, readJson } from "../../files/json.ts";
import type { Places } from "../../files/places.ts";
import { quoted } from "../../output/print.ts";
import { type Agent, type Connection, ownPaths } from "../agent.ts";
import { fuseCommand, fuseFiles, hookFile, hookParts } from "../parts/hook.ts";
import { jsonFile, STRICT } from "../parts/json-file.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

const NAME = "claude-code";

/** The events worth recording. MessageDisplay and the like add nothing to these. */
const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "Notification",
  "Elicitation",
  "ElicitationResult",
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

/** Variables that say where telemetry goes. Others, such as OTEL_RESOURCE_ATTRIBUTES, go along with ours. */
const GOES_ELSEWHERE = /^(OTEL_EXPORTER_|OTEL_(LOGS|METRICS|TRACES)_EXPORTER$)/;
const SWITCH = "CLAUDE_CODE_ENABLE_TELEMETRY";

const envOf = (there: Record<string, unknown>) => (there["env"] ?? {}) as Record<string, unknown>;

/** Its telemetry is ours to set while nobody sends it anywhere, or has switched it off. */
function isFree(there: Record<string, unknown>): boolean {
  const env = envOf(there);
  if (there[HELPER] !== undefined || ![undefined, "1"].includes(env[SWITCH] as string)) return false;
  return !Object.keys(env).some((name) => GOES_ELSEWHERE.test(name));
}

/** A variable that somebody has set stays as it is, such as OTEL_LOG_USER_PROMPTS=0. */
function telemetryParts({ places, url }: Connection, there: Record<string, unknown>): JsonPart[] {
  const connected = there[HELPER] === helper(places);
  if (!connected && !isFree(there)) return [];
  const variables = Object.entries(telemetry(url)).filter(
    ([name]) => connected || readOwn(envOf(there), name) === undefined,
  );
  return [
    { path: [HELPER], value: helper(places), mine: (value) => value === helper(places) },
    ...variables.map(([name, value]) => ({ path: ["env", name], value, mine: () => connected })),
  ];
}

const LEFT_ALONE =
  "Its telemetry is switched off or goes elsewhere already and is left alone: turns and tools are recorded, model, tokens and cost are not.";
const NO_PROMPTS =
  "OTEL_LOG_USER_PROMPTS is set in its settings and stays as it is; hooks record prompts all the same.";

/** Claude Code: hooks report turns and tools, log records report tokens and cost. */
export const claudeCode: Agent = {
  name: NAME,
  title: "Claude Code",
  program: "claude",
  records: "hooks",
  stops: true,
  own: (connection) => [
    hookFile(connection, claudeCode),
    ...fuseFiles(connection, claudeCode),
    {
      path: ownPaths(connection.places, NAME).headers,
      text: `${JSON.stringify({ "x-api-key": connection.ingestKey })}\n`,
    },
    toolFile(connection, NAME),
  ],
  files: (connection) => [
    jsonFile(settings(connection.places), STRICT, (there) => [
      ...hookParts(
        connection.places,
        NAME,
        Object.fromEntries(EVENTS.map((event) => [event, { timeout: 10 }])),
        {},
        connection.fuse
          ? { PreToolUse: [{ type: "command", command: fuseCommand(connection.places, NAME), timeout: 1 }] }
          : {},
      ),
      ...telemetryParts(connection, there),
    ]),
    jsonFile(state(connection.places), STRICT, () => [
      toolPart(connection, NAME, "mcpServers", { before: { type: "stdio" } }),
    ]),
  ],
  notes: ({ places }, texts) => {
    const there = readJson(texts.get(settings(places)) ?? "", settings(places), STRICT);
    if (!isFree(there)) return [LEFT_ALONE];
    return envOf(there)["OTEL_LOG_USER_PROMPTS"] === undefined ? [] : [NO_PROMPTS];
  },
};
