import { join } from "node:path";
import type { Agent } from "../agent.ts";
import { buildHookFile, buildHookParts } from "../parts/hook.ts";
import { defineJsonConfigFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import { buildMcpEnvFile, buildMcpServerJsonPart } from "../parts/tools.ts";

const NAME = "gemini-cli";
const LIMIT = { timeout: 10_000 };

/** Recorded events. BeforeModel and similar events repeat the whole conversation and contain no additional data. */
const EVENTS = [
  "SessionStart",
  "BeforeAgent",
  "BeforeTool",
  "AfterTool",
  "AfterModel",
  "AfterAgent",
  "Notification",
  "SessionEnd",
];
/**
 * The model sends a reply in chunks, and Gemini CLI reports one AfterModel event for each chunk. Only the event of the
 * last chunk contains the finish reason and the tokens, so only that event is recorded.
 */
const ONLY = { AfterModel: "finishReason" };

/**
 * Gemini CLI, which is recorded by hooks. The hooks report everything except cached tokens. Telemetry is not enabled:
 * when the server is unreachable, telemetry delays the exit of Gemini CLI by ten seconds and prints stack traces.
 */
export const geminiCli: Agent = {
  name: NAME,
  title: "Gemini CLI",
  program: "gemini",
  records: "hooks",
  turn: ["BeforeAgent", "AfterAgent"],
  own: (connection) => [buildHookFile(connection, geminiCli), buildMcpEnvFile(connection, NAME)],
  files: (connection) => [
    defineJsonConfigFile(join(connection.places.home, ".gemini", "settings.json"), JSON_WITH_COMMENTS, () => [
      ...buildHookParts(
        connection.places,
        NAME,
        Object.fromEntries(EVENTS.map((event) => [event, { name: "trackway", ...LIMIT }])),
        ONLY,
      ),
      buildMcpServerJsonPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => [
    "Gemini CLI uses tools only in trusted folders. Start gemini in your folder once and trust the folder, or set GEMINI_CLI_TRUST_WORKSPACE=true.",
  ],
};
