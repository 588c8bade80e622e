import { join } from "node:path";
import type { Agent } from "../agent.ts";
import { hookFile, hookParts } from "../parts/hook.ts";
import { jsonFile, LENIENT } from "../parts/json-file.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

const NAME = "gemini-cli";
const LIMIT = { timeout: 10_000 };

/** BeforeModel and the like carry the whole conversation again, and add nothing to these. */
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
/** A model's answer comes in pieces, each an event; the last one has the reason why it ended, and the tokens. */
const ONLY = { AfterModel: "finishReason" };

/**
 * Gemini CLI: its hooks tell everything but cached tokens. Its telemetry is not used: with the server down it holds up the
 * program's end for ten seconds and prints stack traces.
 */
export const geminiCli: Agent = {
  name: NAME,
  title: "Gemini CLI",
  program: "gemini",
  records: "hooks",
  turn: ["BeforeAgent", "AfterAgent"],
  own: (connection) => [hookFile(connection, geminiCli), toolFile(connection, NAME)],
  files: (connection) => [
    jsonFile(join(connection.places.home, ".gemini", "settings.json"), LENIENT, () => [
      ...hookParts(
        connection.places,
        NAME,
        Object.fromEntries(EVENTS.map((event) => [event, { name: "trackway", ...LIMIT }])),
        ONLY,
      ),
      toolPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => [
    "Gemini CLI uses tools only in folders that it trusts: start gemini in yours once and trust it, or set GEMINI_CLI_TRUST_WORKSPACE=true.",
  ],
};
