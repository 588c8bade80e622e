import { join } from "node:path";
import type { JsonPart } from "../../files/json.ts";
import type { Agent, AgentConnection } from "../agent.ts";
import { buildHookCommand, buildHookFile, isHookCommand } from "../parts/hook.ts";
import { defineJsonConfigFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import { buildMcpEnvFile, buildMcpServerJsonPart } from "../parts/tools.ts";

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

function hooks({ places }: AgentConnection, there: Record<string, unknown>): JsonPart[] {
  const command = buildHookCommand(places, NAME);
  const isOurs = (hook: unknown) => isHookCommand(places, NAME, (hook as { command?: unknown } | null)?.command);
  const parts = EVENTS.map((event): JsonPart => ({ path: ["hooks", event], value: { command }, ours: isOurs }));
  return there["version"] === undefined ? [{ path: ["version"], value: 1 }, ...parts] : parts;
}

/**
 * Cursor, which is recorded by hooks. The hooks follow Cursor's documentation and were not tested with Cursor itself.
 */
export const cursor: Agent = {
  name: NAME,
  title: "Cursor",
  program: "cursor",
  records: "hooks",
  turn: ["beforeSubmitPrompt", "stop"],
  own: (connection) => [buildHookFile(connection, cursor), buildMcpEnvFile(connection, NAME, true)],
  files: (connection) => [
    defineJsonConfigFile(join(connection.places.home, ".cursor", "hooks.json"), JSON_WITH_COMMENTS, (there) =>
      hooks(connection, there),
    ),
    defineJsonConfigFile(join(connection.places.home, ".cursor", "mcp.json"), JSON_WITH_COMMENTS, () => [
      buildMcpServerJsonPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => ["The hooks are based on Cursor's documentation and have not been tested in Cursor."],
};
