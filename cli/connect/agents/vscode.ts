import { join } from "node:path";
import { type JsonPart, readJson } from "../../files/json.ts";
import type { Agent, Connection } from "../agent.ts";
import { jsonFile, LENIENT } from "../parts/json-file.ts";
import { startWith, telemetryFile } from "../parts/telemetry-env.ts";
import { toolFile, toolPart } from "../parts/tools.ts";
import { COPILOT } from "./copilot.ts";

const NAME = "vscode";
const PREFIX = "github.copilot.chat.otel.";
const ENDPOINT = `${PREFIX}otlpEndpoint`;

const folder = ({ places }: Connection) => join(places.applications, "Code", "User");
const settings = (connection: Connection) => join(folder(connection), "settings.json");

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
  name: NAME,
  title: "VS Code",
  program: "code",
  records: "telemetry",
  own: (connection) => [telemetryFile(connection, NAME, COPILOT), toolFile(connection, NAME, true)],
  files: (connection) => [
    jsonFile(join(folder(connection), "mcp.json"), LENIENT, () => [
      toolPart(connection, NAME, "servers", { before: { type: "stdio" } }),
    ]),
    jsonFile(settings(connection), LENIENT, (there) => telemetryParts(connection, there)),
  ],
  notes: (connection, texts) => {
    const there = readJson(texts.get(settings(connection)) ?? "", settings(connection), LENIENT);
    const started = `Copilot Chat is recorded when VS Code is started so, with no window of it open: ${startWith(connection, NAME, "code")}. It takes telemetry's key from the environment alone.`;
    if (there[ENDPOINT] !== undefined)
      return [`Its settings send telemetry to ${there[ENDPOINT]} already and are left alone.`, started];
    return there[CAPTURE] === false
      ? [`${CAPTURE} is false in its settings and stays so: what is said is not recorded.`, started]
      : [started];
  },
};
