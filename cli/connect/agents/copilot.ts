import { join } from "node:path";
import { type JsonPart, parseJsonConfig } from "../../files/json.ts";
import type { UserEnvironment } from "../../files/places.ts";
import type { Agent, AgentConnection } from "../agent.ts";
import { defineJsonConfigFile, JSON_WITH_COMMENTS, STRICT_JSON } from "../parts/json-file.ts";
import { buildStartCommand, buildTelemetryFile } from "../parts/telemetry-env.ts";
import { buildMcpEnvFile, buildMcpServerJsonPart } from "../parts/tools.ts";

const NAME = "copilot";

/**
 * Environment variables that Copilot needs in addition to the variables that every agent with OpenTelemetry gets. The
 * last two variables allow Copilot to send prompts and tool contents.
 */
const COPILOT = {
  COPILOT_OTEL_ENABLED: "true",
  COPILOT_OTEL_PROTOCOL: "http",
  COPILOT_OTEL_CAPTURE_CONTENT: "true",
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
};

const folder = ({ env, home }: UserEnvironment) => env["COPILOT_HOME"] || join(home, ".copilot");

/** GitHub Copilot CLI: sends spans. Copilot reads the address and the key only from the environment. */
export const copilot: Agent = {
  name: NAME,
  title: "GitHub Copilot CLI",
  program: "copilot",
  records: "telemetry",
  own: (connection) => [buildTelemetryFile(connection, NAME, COPILOT), buildMcpEnvFile(connection, NAME)],
  files: (connection) => [
    defineJsonConfigFile(join(folder(connection.places), "mcp-config.json"), STRICT_JSON, () => [
      buildMcpServerJsonPart(connection, NAME, "mcpServers", { before: { type: "local" }, after: { tools: ["*"] } }),
    ]),
  ],
  notes: (connection) => [
    `To record Copilot, start it like this: ${buildStartCommand(connection, NAME, "copilot")}. Copilot reads the telemetry key only from the environment.`,
  ],
};

const VSCODE = "vscode";
const PREFIX = "github.copilot.chat.otel.";
const ENDPOINT = `${PREFIX}otlpEndpoint`;

const vscodeFolder = ({ places }: AgentConnection) => join(places.applications, "Code", "User");
const settings = (connection: AgentConnection) => join(vscodeFolder(connection), "settings.json");

const CAPTURE = `${PREFIX}captureContent`;

/**
 * Returns the telemetry settings for Copilot Chat. Returns no settings if the user has already set an endpoint. If the
 * user has disabled the capture of content, that setting stays unchanged.
 */
function telemetryParts({ url }: AgentConnection, there: Record<string, unknown>): JsonPart[] {
  if (there[ENDPOINT] !== undefined) return [];
  const values = { [`${PREFIX}enabled`]: true, [`${PREFIX}exporterType`]: "otlp-http", [ENDPOINT]: url };
  const all = { ...values, ...(there[CAPTURE] !== false && { [CAPTURE]: true }) };
  return Object.entries(all).map(([name, value]) => ({ path: [name], value }));
}

/**
 * VS Code, which gets Trackway's MCP tools and is recorded from the spans of Copilot Chat. Copilot Chat reads the
 * telemetry key only from environment variables.
 */
export const vscode: Agent = {
  name: VSCODE,
  title: "VS Code",
  program: "code",
  records: "telemetry",
  own: (connection) => [buildTelemetryFile(connection, VSCODE, COPILOT), buildMcpEnvFile(connection, VSCODE, true)],
  files: (connection) => [
    defineJsonConfigFile(join(vscodeFolder(connection), "mcp.json"), JSON_WITH_COMMENTS, () => [
      buildMcpServerJsonPart(connection, VSCODE, "servers", { before: { type: "stdio" } }),
    ]),
    defineJsonConfigFile(settings(connection), JSON_WITH_COMMENTS, (there) => telemetryParts(connection, there)),
  ],
  notes: (connection, texts) => {
    const there = parseJsonConfig(texts.get(settings(connection)) ?? "", settings(connection), JSON_WITH_COMMENTS);
    const started = `To record Copilot Chat, close all windows of VS Code and start it like this: ${buildStartCommand(connection, VSCODE, "code")}. Copilot Chat reads the telemetry key only from the environment.`;
    if (there[ENDPOINT] !== undefined)
      return [
        `The VS Code settings already send telemetry to ${there[ENDPOINT]}, and this command does not change them.`,
        started,
      ];
    return there[CAPTURE] === false
      ? [
          `The VS Code settings set ${CAPTURE} to false, and this command does not change it. Trackway does not record prompts and replies.`,
          started,
        ]
      : [started];
  },
};
