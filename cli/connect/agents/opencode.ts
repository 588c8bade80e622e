import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { UserEnvironment } from "../../files/places.ts";
import type { Agent, AgentConfigFile, AgentConnection } from "../agent.ts";
import { buildFuseCommand, buildFuseFiles, buildHookCommand, buildHookFile } from "../parts/hook.ts";
import { defineJsonConfigFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import {
  buildMcpEnvFile,
  buildMcpServerCommand,
  getPackageFolder,
  isTrackwayMcpServerEntry,
  MCP_SERVER_NAME,
} from "../parts/tools.ts";

const NAME = "opencode";
/** Beginning of the plugin's text. */
const MARK = "// Made by: trackway connect opencode.";

const folder = ({ env, home }: UserEnvironment) => join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");

/**
 * Returns the plugin file that records opencode. If the user created a plugin with the same name, the file replaces
 * that plugin.
 */
function plugin({ places, fuse }: AgentConnection): AgentConfigFile {
  const source = readFileSync(join(getPackageFolder(), "plugins", "opencode", "trackway.js"), "utf8");
  const text = source
    .replace('"%COMMAND%"', () => JSON.stringify(buildHookCommand(places, NAME)))
    .replace('"%FUSE%"', () => JSON.stringify(fuse ? buildFuseCommand(places, NAME) : ""));
  return {
    path: join(folder(places), "plugins", "trackway.js"),
    add: () => text,
    has: (there) => there === text,
    remove: (there, before = "") => (there.includes(MARK) ? before : there),
  };
}

function tools(connection: AgentConnection): AgentConfigFile {
  const { command, args } = buildMcpServerCommand(connection, NAME);
  const value = { type: "local", command: [command, ...args], enabled: true };
  const mine = (there: unknown) => isTrackwayMcpServerEntry(connection.places, NAME, there);
  return defineJsonConfigFile(join(folder(connection.places), "opencode.json"), JSON_WITH_COMMENTS, () => [
    { path: ["mcp", MCP_SERVER_NAME], value, mine },
  ]);
}

/**
 * opencode, which is recorded by a plugin that reports the events of opencode's plugin API. Telemetry is not enabled,
 * because telemetry contains the same data and would delay the exit of opencode.
 */
export const opencode: Agent = {
  name: NAME,
  title: "opencode",
  program: "opencode",
  records: "hooks",
  turn: ["chat.message", "session.idle"],
  stops: true,
  own: (connection) => [
    buildHookFile(connection, opencode),
    ...buildFuseFiles(connection, opencode),
    buildMcpEnvFile(connection, NAME),
  ],
  files: (connection) => [plugin(connection), tools(connection)],
};
