import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "../../files/places.ts";
import type { Agent, AgentFile, Connection } from "../agent.ts";
import { fuseCommand, fuseFiles, hookCommand, hookFile } from "../parts/hook.ts";
import { jsonFile, LENIENT } from "../parts/json-file.ts";
import { isToolServer, packageFolder, SERVER, toolFile, toolServer } from "../parts/tools.ts";

const NAME = "opencode";
/** The first words of the plugin. */
const MARK = "// Made by: trackway connect opencode.";

const folder = ({ env, home }: Places) => join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");

/** The plugin, which stands for itself in its file. One of the same name that somebody made gives way. */
function plugin({ places, fuse }: Connection): AgentFile {
  const source = readFileSync(join(packageFolder(), "plugins", "opencode", "trackway.js"), "utf8");
  const text = source
    .replace('"%COMMAND%"', () => JSON.stringify(hookCommand(places, NAME)))
    .replace('"%FUSE%"', () => JSON.stringify(fuse ? fuseCommand(places, NAME) : ""));
  return {
    path: join(folder(places), "plugins", "trackway.js"),
    add: () => text,
    has: (there) => there === text,
    remove: (there, before = "") => (there.includes(MARK) ? before : there),
  };
}

function tools(connection: Connection): AgentFile {
  const { command, args } = toolServer(connection, NAME);
  const value = { type: "local", command: [command, ...args], enabled: true };
  const mine = (there: unknown) => isToolServer(connection.places, NAME, there);
  return jsonFile(join(folder(connection.places), "opencode.json"), LENIENT, () => [
    { path: ["mcp", SERVER], value, mine },
  ]);
}

/** opencode: a plugin sends what plugins see. Its telemetry has the same, and would hold up its end. */
export const opencode: Agent = {
  name: NAME,
  title: "opencode",
  program: "opencode",
  records: "hooks",
  turn: ["chat.message", "session.idle"],
  stops: true,
  own: (connection) => [hookFile(connection, opencode), ...fuseFiles(connection, opencode), toolFile(connection, NAME)],
  files: (connection) => [plugin(connection), tools(connection)],
};
