import { join } from "node:path";
import type { Agent } from "../agent.ts";
import { buildHookFile, buildHookParts } from "../parts/hook.ts";
import { createJsonFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import { buildToolFile, buildToolPart } from "../parts/tools.ts";

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
/** A reply arrives in chunks, one event each. Only the last chunk contains the finish reason and the tokens. */
const ONLY = { AfterModel: "finishReason" };

/**
 * Gemini CLI: hooks report everything except cached tokens. Telemetry is not used: without a server, it delays the exit
 * of the program by ten seconds and prints stack traces.
 */
export const geminiCli: Agent = {
  name: NAME,
  title: "Gemini CLI",
  program: "gemini",
  records: "hooks",
  turn: ["BeforeAgent", "AfterAgent"],
  own: (connection) => [buildHookFile(connection, geminiCli), buildToolFile(connection, NAME)],
  files: (connection) => [
    createJsonFile(join(connection.places.home, ".gemini", "settings.json"), JSON_WITH_COMMENTS, () => [
      ...buildHookParts(
        connection.places,
        NAME,
        Object.fromEntries(EVENTS.map((event) => [event, { name: "trackway", ...LIMIT }])),
        ONLY,
      ),
      buildToolPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => [
    "Gemini CLI uses tools only in trusted folders. Start gemini in your folder once and trust the folder, or set GEMINI_CLI_TRUST_WORKSPACE=true.",
  ],
};
