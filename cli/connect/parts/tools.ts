import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonPart } from "../../files/json.ts";
import type { Places } from "../../files/places.ts";
import { type Connection, type OwnFile, ownPaths } from "../agent.ts";

/** The name of Trackway's tools in every configuration. */
export const SERVER = "trackway";

/** The command that starts the tools: this very Node.js, which reads keys from a file, and the server beside us. */
export function toolServer({ places }: Pick<Connection, "places">, agent: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [`--env-file=${ownPaths(places, agent).tools}`, toolProgram()] };
}

/** True if an entry is ours: it reads the file that none but us writes. */
export const isToolServer = (places: Places, agent: string, value: unknown): boolean =>
  JSON.stringify(value ?? "").includes(JSON.stringify(`--env-file=${ownPaths(places, agent).tools}`));

/** The entry in a JSON file: our way of starting the tools, and what this program wants beside it. */
export const toolPart = (
  connection: Pick<Connection, "places">,
  agent: string,
  list: string,
  more: { before?: object; after?: object } = {},
): JsonPart => ({
  path: [list, SERVER],
  value: { ...more.before, ...toolServer(connection, agent), ...more.after },
  mine: (value) => isToolServer(connection.places, agent, value),
});

/** mcp/bin.js of this checkout or package. */
export const toolProgram = (): string => join(packageFolder(), "mcp", "bin.js");

/** The folder of package.json: above cli/ in a checkout's sources, above dist/cli/ in the build. */
export function packageFolder(): string {
  const here = fileURLToPath(new URL(".", import.meta.url));
  return realpathSync(here.replace(/(dist[\\/])?cli[\\/]((connect[\\/]parts|parts)[\\/])?$/, ""));
}

/** The variables that the tools are started with; `recording` adds the key that lets an assistant record its turns. */
export function toolFile({ places, url, apiKey, ingestKey }: Connection, agent: string, recording = false): OwnFile {
  const lines = [
    `# Made by: trackway connect ${agent}. It holds keys: for its owner alone.`,
    `TRACKER_URL=${url}`,
    `TRACKER_API_KEY=${apiKey}`,
    ...(recording ? [`TRACKER_INGEST_KEY=${ingestKey}`] : []),
  ];
  return { path: ownPaths(places, agent).tools, text: `${lines.join("\n")}\n` };
}
