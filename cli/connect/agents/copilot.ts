import { join } from "node:path";
import type { Places } from "../../files/places.ts";
import type { Agent } from "../agent.ts";
import { jsonFile, STRICT } from "../parts/json-file.ts";
import { startWith, telemetryFile } from "../parts/telemetry-env.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

const NAME = "copilot";

/** Copilot's own variables beside the usual ones: both ways of asking for prompts and tool contents. */
export const COPILOT = {
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
