import { join } from "node:path";
import type { JsonPart } from "../../files/json.ts";
import type { Agent, Connection } from "../agent.ts";
import { buildHookCommand, buildHookFile, isHookCommand } from "../parts/hook.ts";
import { createJsonFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import { buildToolFile, buildToolPart } from "../parts/tools.ts";

const NAME = "cursor";
const EVENTS = [
  "sessionStart",
  "beforeSubmitPrompt",
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "subagentStart",
  "subagentStop",
  "afterAgentResponse",
  "stop",
  "sessionEnd",
];

function hooks({ places }: Connection, there: Record<string, unknown>): JsonPart[] {
  const command = buildHookCommand(places, NAME);
  const isOurs = (hook: unknown) => isHookCommand(places, NAME, (hook as { command?: unknown } | null)?.command);
  const parts = EVENTS.map((event): JsonPart => ({ path: ["hooks", event], value: { command }, ours: isOurs }));
  return there["version"] === undefined ? [{ path: ["version"], value: 1 }, ...parts] : parts;
}

/** Cursor: hooks as documented by Cursor. They were not tested with Cursor. */
export const cursor: Agent = {
  name: NAME,
  title: "Cursor",
  program: "cursor",
  records: "hooks",
  turn: ["beforeSubmitPrompt", "stop"],
  own: (connection) => [buildHookFile(connection, cursor), buildToolFile(connection, NAME, true)],
  files: (connection) => [
    createJsonFile(join(connection.places.home, ".cursor", "hooks.json"), JSON_WITH_COMMENTS, (there) =>
      hooks(connection, there),
    ),
    createJsonFile(join(connection.places.home, ".cursor", "mcp.json"), JSON_WITH_COMMENTS, () => [
      buildToolPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => ["The hooks follow Cursor's documentation and were not tested with Cursor."],
};
