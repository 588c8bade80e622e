import { join } from "node:path";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { quoteForShell } from "../../output/print.ts";
import { type Agent, getAgentPaths } from "../agent.ts";
import { defineJsonConfigFile, STRICT_JSON } from "../parts/json-file.ts";
import { buildTelemetryFile } from "../parts/telemetry-env.ts";
import { buildMcpEnvFile, buildMcpServerJsonPart } from "../parts/tools.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot, vscode } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";

const ENVIRONMENT = "env";

/**
 * Any other agent that exports OpenTelemetry data. `trackway connect env` writes a file of environment variables, which
 * the user loads in the shell that starts the agent.
 */
const environment: Agent = {
  name: ENVIRONMENT,
  title: "an agent of your own",
  records: "telemetry",
  own: (connection) => [
    buildTelemetryFile(connection, ENVIRONMENT, {
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
      TRACKER_URL: connection.url,
      TRACKER_INGEST_KEY: connection.ingestKey,
    }),
  ],
  files: () => [],
  notes: ({ places }) => [
    `In the shell that starts your agent: . ${quoteForShell(getAgentPaths(places, ENVIRONMENT).variables)}`,
  ],
};

const PI = "pi";

/**
 * Pi, which `trackway import sessions --watch` records from Pi's session files. Connecting Pi stores the ingest key
 * that the import uses.
 */
const pi: Agent = {
  name: PI,
  title: "Pi",
  program: "pi",
  records: "telemetry",
  own: (connection) => [buildTelemetryFile(connection, PI)],
  files: () => [],
  notes: () => ["To record Pi from its session files, keep this command running: trackway import sessions --watch"],
};

const CLAUDE_DESKTOP = "claude-desktop";

/**
 * Claude Desktop, which gets only Trackway's MCP tools. The assistant records a turn with the tool capture_turn when
 * the user asks for a recording.
 */
const claudeDesktop: Agent = {
  name: CLAUDE_DESKTOP,
  title: "Claude Desktop",
  records: "tools",
  own: (connection) => [buildMcpEnvFile(connection, CLAUDE_DESKTOP, true)],
  files: (connection) => [
    defineJsonConfigFile(
      join(connection.places.applications, "Claude", "claude_desktop_config.json"),
      STRICT_JSON,
      () => [buildMcpServerJsonPart(connection, CLAUDE_DESKTOP, "mcpServers")],
    ),
  ],
  notes: () => [
    "Claude Desktop sends no telemetry. Claude records a turn with the tool capture_turn when you ask for it. Restart Claude Desktop to load the tools.",
  ],
};

export const AGENTS: readonly Agent[] = [
  claudeCode,
  codex,
  geminiCli,
  copilot,
  opencode,
  qwenCode,
  pi,
  vscode,
  cursor,
  claudeDesktop,
  environment,
];

/** Returns an agent by its name. @throws CommandFailure that lists the agents */
export function requireAgent(name: string): Agent {
  const agent = AGENTS.find((one) => one.name === name);
  if (agent) return agent;
  throw new CommandFailure(`Unknown agent "${name}".`, {
    exit: EXIT_CODES.usage,
    cure: AGENTS.map((one) => one.name).join(", "),
  });
}
