import { join } from "node:path";
import type { Agent } from "../agent.ts";
import { jsonFile, LENIENT } from "../parts/json-file.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

const NAME = "cursor";

/** Cursor: the tools, one of which records a turn when the assistant is asked to. */
export const cursor: Agent = {
  name: NAME,
  title: "Cursor",
  program: "cursor",
  records: "tools",
  own: (connection) => [toolFile(connection, NAME, true)],
  files: (connection) => [
    jsonFile(join(connection.places.home, ".cursor", "mcp.json"), LENIENT, () => [
      toolPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => ["Cursor sends no telemetry: it records what it is asked to, with the tool capture_turn."],
};
