import { join } from "node:path";
import { type JsonPart, readJson } from "../../files/json.ts";
import type { Places } from "../../files/places.ts";
import type { Agent, Connection } from "../agent.ts";
import { jsonFile, LENIENT, STRICT } from "../parts/json-file.ts";
import { startWith, telemetryFile } from "../parts/telemetry-env.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

const NAME = "copilot";

/** Copilot's own variables beside the usual ones: both ways of asking for prompts and tool contents. */
const COPILOT = {
  COPILOT_OTEL_ENABLED: "true",
  COPILOT_OTEL_PROTOCOL: "http",
  COPILOT_OTEL_CAPTURE_CONTENT: "true",
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
};

const folder = ({ env, home }: Places) => env["COPILOT_HOME"] || join(home, ".copilot");

/** GitHub Copilot CLI: spans, whose address and key it takes from the environment alone. */
export const copilot: Agent = {
  name: NAME,
  title: "GitHub Copilot CLI",
  program: "copilot",
  records: "telemetry",
  own: (connection) => [telemetryFile(connection, NAME, COPILOT), toolFile(connection, NAME)],
  files: (connection) => [
    jsonFile(join(folder(connection.places), "mcp-config.json"), STRICT, () => [
      toolPart(connection, NAME, "mcpServers", { before: { type: "local" }, after: { tools: ["*"] } }),
    ]),
  ],
  notes: (connection) => [
    `Copilot is recorded when it is started so: ${startWith(connection, NAME, "copilot")}. It takes telemetry's key from the environment alone.`,
  ],
};

const VSCODE = "vscode";
const PREFIX = "github.copilot.chat.otel.";
const ENDPOINT = `${PREFIX}otlpEndpoint`;

const vscodeFolder = ({ places }: Connection) => join(places.applications, "Code", "User");
const settings = (connection: Connection) => join(vscodeFolder(connection), "settings.json");

const CAPTURE = `${PREFIX}captureContent`;

/** Copilot Chat's telemetry, where it goes nowhere yet. Whoever keeps texts out of telemetry has a reason. */
function telemetryParts({ url }: Connection, there: Record<string, unknown>): JsonPart[] {
  if (there[ENDPOINT] !== undefined) return [];
  const values = { [`${PREFIX}enabled`]: true, [`${PREFIX}exporterType`]: "otlp-http", [ENDPOINT]: url };
  const all = { ...values, ...(there[CAPTURE] !== false && { [CAPTURE]: true }) };
  return Object.entries(all).map(([name, value]) => ({ path: [name], value }));
}

/** VS Code: the tools, and the spans of Copilot Chat, whose key comes from the environment alone. */
export const vscode: Agent = {
  name: VSCODE,
  title: "VS Code",
  program: "code",
  records: "telemetry",
  own: (connection) => [telemetryFile(connection, VSCODE, COPILOT), toolFile(connection, VSCODE, true)],
  files: (connection) => [
    jsonFile(join(vscodeFolder(connection), "mcp.json"), LENIENT, () => [
      toolPart(connection, VSCODE, "servers", { before: { type: "stdio" } }),
    ]),
    jsonFile(settings(connection), LENIENT, (there) => telemetryParts(connection, there)),
  ],
  notes: (connection, texts) => {
    const there = readJson(texts.get(settings(connection)) ?? "", settings(connection), LENIENT);
    const started = `Copilot Chat is recorded when VS Code is started so, with no window of it open: ${startWith(connection, VSCODE, "code")}. It takes telemetry's key from the environment alone.`;
    if (there[ENDPOINT] !== undefined)
      return [`Its settings send telemetry to ${there[ENDPOINT]} already and are left alone.`, started];
    return there[CAPTURE] === false
      ? [`${CAPTURE} is false in its settings and stays so: what is said is not recorded.`, started]
      : [started];
  },
};
