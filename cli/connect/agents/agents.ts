import { join } from "node:path";
import { EXIT, Failure } from "../../failure.ts";
import { quoted } from "../../output/print.ts";
import { type Agent, ownPaths } from "../agent.ts";
import { jsonFile, STRICT } from "../parts/json-file.ts";
import { telemetryFile } from "../parts/telemetry-env.ts";
import { toolFile, toolPart } from "../parts/tools.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot, vscode } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";

const ENVIRONMENT = "env";

/** Any other agent that sends OpenTelemetry: a file of variables for its shell. */
const environment: Agent = {
  name: ENVIRONMENT,
  title: "an agent of your own",
  records: "telemetry",
  own: (connection) => [
    telemetryFile(connection, ENVIRONMENT, {
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
      TRACKER_URL: connection.url,
      TRACKER_INGEST_KEY: connection.ingestKey,
    }),
  ],
  files: () => [],
  notes: ({ places }) => [`In the shell that starts your agent: . ${quoted(ownPaths(places, ENVIRONMENT).variables)}`],
};

const PI = "pi";

/** Pi: recorded from the files of its sessions, which are followed with the key that is kept here. */
const pi: Agent = {
  name: PI,
  title: "Pi",
  program: "pi",
  records: "telemetry",
  own: (connection) => [telemetryFile(connection, PI)],
  files: () => [],
  notes: () => ["Pi is recorded from the files of its sessions, while this runs: trackway import sessions --watch"],
};

const CLAUDE_DESKTOP = "claude-desktop";

/** Claude Desktop: the tools, one of which records a turn when the assistant is asked to. */
const claudeDesktop: Agent = {
  name: CLAUDE_DESKTOP,
  title: "Claude Desktop",
  records: "tools",
  own: (connection) => [toolFile(connection, CLAUDE_DESKTOP, true)],
  files: (connection) => [
    jsonFile(join(connection.places.applications, "Claude", "claude_desktop_config.json"), STRICT, () => [
      toolPart(connection, CLAUDE_DESKTOP, "mcpServers"),
    ]),
  ],
  notes: () => [
    "Claude Desktop sends no telemetry: it records what it is asked to, with the tool capture_turn. Start it again to find the tools.",
  ],
};

/** Everything that can be connected. */
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

/** @throws Failure that lists what there is. */
export function agentNamed(name: string): Agent {
  const agent = AGENTS.find((one) => one.name === name);
  if (agent) return agent;
  throw new Failure(`There is no agent "${name}".`, {
    exit: EXIT.usage,
    cure: AGENTS.map((one) => one.name).join(", "),
  });
}
