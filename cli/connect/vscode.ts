import { join } from "node:path";
import type { JsonPart } from "../files/json.ts";
import type { Agent, Connection } from "./agent.ts";
import { COPILOT } from "./copilot.ts";
import { jsonFile, LENIENT } from "./json-file.ts";
import { startWith, telemetryFile } from "./telemetry-env.ts";
import { toolFile, toolPart } from "./tools.ts";

const NAME = "vscode";
const PREFIX = "github.copilot.chat.otel.";

const folder = ({ places }: Connection) => join(places.applications, "Code", "User");

const telemetryParts = ({ url }: Connection): JsonPart[] =>
  Object.entries({ enabled: true, exporterType: "otlp-http", otlpEndpoint: url, captureContent: true }).map(
    ([name, value]) => ({ path: [PREFIX + name], value }),
  );

/** Whether Copilot Chat's telemetry goes nowhere yet, or to us. */
const isFree = ({ url }: Connection, there: Record<string, unknown>): boolean =>
  [url, undefined].includes(there[`${PREFIX}otlpEndpoint`] as string | undefined);

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
    jsonFile(join(folder(connection), "settings.json"), LENIENT, (there) =>
      isFree(connection, there) ? telemetryParts(connection) : [],
    ),
  ],
  notes: (connection) => [
    `Copilot Chat is recorded when VS Code is started so, with no window of it open: ${startWith(connection, NAME, "code")}. It takes telemetry's key from the environment alone.`,
  ],
};
