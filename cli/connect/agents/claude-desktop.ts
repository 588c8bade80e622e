import { join } from "node:path";
import type { Agent } from "../agent.ts";
import { jsonFile, STRICT } from "../parts/json-file.ts";
import { toolFile, toolPart } from "../parts/tools.ts";

const NAME = "claude-desktop";

/** Claude Desktop: the tools, one of which records a turn when the assistant is asked to. */
export const claudeDesktop: Agent = {
  name: NAME,
  title: "Claude Desktop",
  records: "tools",
  own: (connection) => [toolFile(connection, NAME, true)],
  files: (connection) => [
    jsonFile(join(connection.places.applications, "Claude", "claude_desktop_config.json"), STRICT, () => [
      toolPart(connection, NAME, "mcpServers"),
    ]),
  ],
  notes: () => [
    "Claude Desktop sends no telemetry: it records what it is asked to, with the tool capture_turn. Start it again to find the tools.",
  ],
};
