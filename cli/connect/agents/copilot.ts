import { join } from "node:path";
import { type JsonPart, readJson } from "../../files/json.ts";
import type { Places } from "../../files/places.ts";
import type { Agent, Connection } from "../agent.ts";
import { createJsonFile, JSON_WITH_COMMENTS, STRICT_JSON } from "../parts/json-file.ts";
import { buildStartCommand, buildTelemetryFile } from "../parts/telemetry-env.ts";
import { buildToolFile, buildToolPart } from "../parts/tools.ts";

const NAME = "copilot";

/** Copilot's variables beside the usual variables. Two of the variables request prompts and tool contents. */
const COPILOT = {
  COPILOT_OTEL_ENABLED: "true",
  COPILOT_OTEL_PROTOCOL: "http",
  COPILOT_OTEL_CAPTURE_CONTENT: "true",
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
};

const folder = ({ env, home }: Places) => env["COPILOT_HOME"] || join(home, ".copilot");

/** GitHub Copilot CLI: sends spans. Copilot reads the address and the key only from the environment. */
export const copilot: Agent = {
  name: NAME,
  title: "GitHub Copilot CLI",
  program: "copilot",
  records: "telemetry",
  own: (connection) => [buildTelemetryFile(connection, NAME, COPILOT), buildToolFile(connection, NAME)],
  files: (connection) => [
    createJsonFile(join(folder(connection.places), "mcp-config.json"), STRICT_JSON, () => [
      buildToolPart(connection, NAME, "mcpServers", { before: { type: "local" }, after: { tools: ["*"] } }),
    ]),
  ],
  notes: (connection) => [
    `To record Copilot, start it like this: ${buildStartCommand(connection, NAME, "copilot")}. Copilot reads the telemetry key only from the environment.`,
  ],
};

const VSCODE = "vscode";
const PREFIX = "github.copilot.chat.otel.";
const ENDPOINT = `${PREFIX}otlpEndpoint`;

const vscodeFolder = ({ places }: Connection) => join(places.applications, "Code", "User");
const settings = (connection: Connection) => join(vscodeFolder(connection), "settings.json");

const CAPTURE = `${PREFIX}captureContent`;

/**
 * Returns the telemetry settings of Copilot Chat. Returns none if the user has set an endpoint. Does not change a
 * setting that disables the capture of content.
 */
function telemetryParts({ url }: Connection, there: Record<string, unknown>): JsonPart[] {
  if (there[ENDPOINT] !== undefined) return [];
  const values = { [`${PREFIX}enabled`]: true, [`${PREFIX}exporterType`]: "otlp-http", [ENDPOINT]: url };
  const all = { ...values, ...(there[CAPTURE] !== false && { [CAPTURE]: true }) };
  return Object.entries(all).map(([name, value]) => ({ path: [name], value }));
}

/**
 * VS Code: the MCP tools, and the spans of Copilot Chat. Copilot Chat reads the telemetry key only from the
 * environment.
 */
export const vscode: Agent = {
  name: VSCODE,
  title: "VS Code",
  program: "code",
  records: "telemetry",
  own: (connection) => [buildTelemetryFile(connection, VSCODE, COPILOT), buildToolFile(connection, VSCODE, true)],
  files: (connection) => [
    createJsonFile(join(vscodeFolder(connection), "mcp.json"), JSON_WITH_COMMENTS, () => [
      buildToolPart(connection, VSCODE, "servers", { before: { type: "stdio" } }),
    ]),
    createJsonFile(settings(connection), JSON_WITH_COMMENTS, (there) => telemetryParts(connection, there)),
  ],
  notes: (connection, texts) => {
    const there = readJson(texts.get(settings(connection)) ?? "", settings(connection), JSON_WITH_COMMENTS);
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
