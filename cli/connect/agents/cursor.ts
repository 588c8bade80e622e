import { join } from "node:path";
import type { JsonPart } from "../../files/json.ts";
import type { Agent, Connection } from "../agent.ts";
import { hookCommand, hookFile, isHookCommand } from "../parts/hook.ts";
import { jsonFile, LENIENT } from "../parts/json-file.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

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
  const command = hookCommand(places, NAME);
  const isOurs = (hook: unknown) => isHookCommand(places, NAME, (hook as { command?: unknown } | null)?.command);
  const parts = EVENTS.map((event): JsonPart => ({ path: ["hooks", event], value: { command }, ours: isOurs }));
  return there["version"] === undefined ? [{ path: ["version"], value: 1 }, ...parts] : parts;
}

/** Cursor: hooks as its documentation has them. Cursor itself was not run. */
export const cursor: Agent = {
  name: NAME,
  title: "Cursor",
  program: "cursor",
  records: "hooks",
  turn: ["beforeSubmitPrompt", "stop"],
  own: (connection) => [hookFile(connection, cursor), toolFile(connection, NAME, true)],
  files: (connection) => [
    jsonFile(join(connection.places.home, ".cursor", "hooks.json"), LENIENT, (there) => hooks(connection, there)),
    jsonFile(join(connection.places.home, ".cursor", "mcp.json"), LENIENT, () => [
      toolPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => ["Its hooks are written after Cursor's documentation, and were not tried with Cursor itself."],
};
