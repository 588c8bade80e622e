import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "../../files/places.ts";
import type { Agent, AgentFile, Connection } from "../agent.ts";
import { buildFuseCommand, buildFuseFiles, buildHookCommand, buildHookFile } from "../parts/hook.ts";
import { createJsonFile, JSON_WITH_COMMENTS } from "../parts/json-file.ts";
import {
  buildToolCommand,
  buildToolFile,
  getPackageFolder,
  isTrackwayToolServer,
  MCP_SERVER_NAME,
} from "../parts/tools.ts";

const NAME = "opencode";
/** Beginning of the plugin's text. */
const MARK = "// Made by: trackway connect opencode.";

const folder = ({ env, home }: Places) => join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");

/** Returns the plugin file. Replaces a plugin of the same name that the user created. */
function plugin({ places, fuse }: Connection): AgentFile {
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

function tools(connection: Connection): AgentFile {
  const { command, args } = buildToolCommand(connection, NAME);
  const value = { type: "local", command: [command, ...args], enabled: true };
  const mine = (there: unknown) => isTrackwayToolServer(connection.places, NAME, there);
  return createJsonFile(join(folder(connection.places), "opencode.json"), JSON_WITH_COMMENTS, () => [
    { path: ["mcp", MCP_SERVER_NAME], value, mine },
  ]);
}

/**
 * opencode: a plugin reports the events of the plugin API. Telemetry contains the same data and would delay the exit,
 * so it is not used.
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
    buildToolFile(connection, NAME),
  ],
  files: (connection) => [plugin(connection), tools(connection)],
};
