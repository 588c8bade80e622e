import { join } from "node:path";
import { getOwnProperty } from "../../../formats/own.ts";
import { type JsonPart, parseJsonConfig } from "../../files/json.ts";
import type { UserEnvironment } from "../../files/places.ts";
import { quoteForShell } from "../../output/print.ts";
import { type Agent, type AgentConnection, getAgentPaths } from "../agent.ts";
import { buildFuseCommand, buildFuseFiles, buildHookFile, buildHookParts } from "../parts/hook.ts";
import { defineJsonConfigFile, STRICT_JSON } from "../parts/json-file.ts";
import { buildMcpEnvFile, buildMcpServerJsonPart } from "../parts/tools.ts";

const NAME = "claude-code";

/** Recorded events. The other events, such as MessageDisplay, contain no additional data. */
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

const folder = ({ env, home }: UserEnvironment) => env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
const settings = (places: UserEnvironment) => join(folder(places), "settings.json");
const state = ({ env, home }: UserEnvironment) =>
  env["CLAUDE_CONFIG_DIR"] ? join(env["CLAUDE_CONFIG_DIR"], ".claude.json") : join(home, ".claude.json");

/**
 * Returns the variables that make Claude Code export log records, because only log records contain model, tokens and
 * cost. The shutdown timeout ensures that Claude Code waits less than a second for this export when it exits.
 */
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
const helper = (places: UserEnvironment) => `cat ${quoteForShell(getAgentPaths(places, NAME).headers)}`;

/**
 * Matches variables that determine where telemetry is sent. If the settings contain such a variable before Trackway is
 * connected, Trackway does not change the telemetry. Other variables, such as OTEL_RESOURCE_ATTRIBUTES, do not conflict
 * with Trackway's settings.
 */
const GOES_ELSEWHERE = /^(OTEL_EXPORTER_|OTEL_(LOGS|METRICS|TRACES)_EXPORTER$)/;
const SWITCH = "CLAUDE_CODE_ENABLE_TELEMETRY";

const readEnv = (there: Record<string, unknown>) => (there["env"] ?? {}) as Record<string, unknown>;

/**
 * Returns true if this command may change the telemetry settings. Returns false if the user sends telemetry to another
 * address or has disabled telemetry.
 */
function isFree(there: Record<string, unknown>): boolean {
  const env = readEnv(there);
  if (there[HELPER] !== undefined || ![undefined, "1"].includes(env[SWITCH] as string)) return false;
  return !Object.keys(env).some((name) => GOES_ELSEWHERE.test(name));
}

/**
 * Returns the telemetry settings to add. A variable that the user has set stays unchanged, such as
 * OTEL_LOG_USER_PROMPTS=0.
 */
function telemetryParts({ places, url }: AgentConnection, there: Record<string, unknown>): JsonPart[] {
  const connected = there[HELPER] === helper(places);
  if (!connected && !isFree(there)) return [];
  const variables = Object.entries(telemetry(url)).filter(
    ([name]) => connected || getOwnProperty(readEnv(there), name) === undefined,
  );
  return [
    { path: [HELPER], value: helper(places), mine: (value) => value === helper(places) },
    ...variables.map(([name, value]) => ({ path: ["env", name], value, mine: () => connected })),
  ];
}

const LEFT_ALONE =
  "Claude Code's telemetry is off or goes to another address, and this command does not change that setting. Trackway records turns and tool calls, but no models, tokens or costs.";
const NO_PROMPTS =
  "This command does not change the value of OTEL_LOG_USER_PROMPTS in Claude Code's settings. Hooks record prompts regardless of that value.";

/**
 * Claude Code, which is recorded in two ways: hooks report turns and tool calls, and log records report tokens and
 * cost.
 */
export const claudeCode: Agent = {
  name: NAME,
  title: "Claude Code",
  program: "claude",
  records: "hooks",
  stops: true,
  own: (connection) => [
    buildHookFile(connection, claudeCode),
    ...buildFuseFiles(connection, claudeCode),
    {
      path: getAgentPaths(connection.places, NAME).headers,
      text: `${JSON.stringify({ "x-api-key": connection.ingestKey })}\n`,
    },
    buildMcpEnvFile(connection, NAME),
  ],
  files: (connection) => [
    defineJsonConfigFile(settings(connection.places), STRICT_JSON, (there) => [
      ...buildHookParts(
        connection.places,
        NAME,
        Object.fromEntries(EVENTS.map((event) => [event, { timeout: 10 }])),
        {},
        connection.fuse
          ? { PreToolUse: [{ type: "command", command: buildFuseCommand(connection.places, NAME), timeout: 1 }] }
          : {},
      ),
      ...telemetryParts(connection, there),
    ]),
    defineJsonConfigFile(state(connection.places), STRICT_JSON, () => [
      buildMcpServerJsonPart(connection, NAME, "mcpServers", { before: { type: "stdio" } }),
    ]),
  ],
  notes: ({ places }, texts) => {
    const there = parseJsonConfig(texts.get(settings(places)) ?? "", settings(places), STRICT_JSON);
    if (!isFree(there)) return [LEFT_ALONE];
    return readEnv(there)["OTEL_LOG_USER_PROMPTS"] === undefined ? [] : [NO_PROMPTS];
  },
};
