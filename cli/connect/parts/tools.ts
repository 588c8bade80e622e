import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonPart } from "../../files/json.ts";
import type { UserEnvironment } from "../../files/places.ts";
import { type AgentConnection, getAgentPaths, type TrackwayConfigFile } from "../agent.ts";

/** Name of the MCP server in every configuration. */
export const MCP_SERVER_NAME = "trackway";

/**
 * Returns the command that starts the MCP server of this installation. The command runs the current Node.js program
 * with an env file that contains the address and the keys.
 */
export function buildMcpServerCommand(
  { places }: Pick<AgentConnection, "places">,
  agent: string,
): { command: string; args: string[] } {
  return { command: process.execPath, args: [`--env-file=${getAgentPaths(places, agent).tools}`, getMcpProgramPath()] };
}

/** Returns true if Trackway wrote an entry: the entry names an env file that only Trackway writes. */
export const isTrackwayMcpServerEntry = (places: UserEnvironment, agent: string, value: unknown): boolean =>
  JSON.stringify(value ?? "").includes(JSON.stringify(`--env-file=${getAgentPaths(places, agent).tools}`));

/**
 * Returns the MCP server's entry in a JSON file: the start command, and additional properties that the agent requires.
 */
export const buildMcpServerJsonPart = (
  connection: Pick<AgentConnection, "places">,
  agent: string,
  list: string,
  more: { before?: object; after?: object } = {},
): JsonPart => ({
  path: [list, MCP_SERVER_NAME],
  value: { ...more.before, ...buildMcpServerCommand(connection, agent), ...more.after },
  mine: (value) => isTrackwayMcpServerEntry(connection.places, agent, value),
});

/** Returns the path of mcp/bin.js in this checkout or package. */
export const getMcpProgramPath = (): string => join(getPackageFolder(), "mcp", "bin.js");

/**
 * Returns the folder that contains package.json. In a checkout, this file runs in cli/ below that folder. In the build,
 * this file runs in dist/cli/ below that folder.
 */
export function getPackageFolder(): string {
  const here = fileURLToPath(new URL(".", import.meta.url));
  return realpathSync(here.replace(/(dist[\\/])?cli[\\/]((connect[\\/]parts|parts)[\\/])?$/, ""));
}

/**
 * Returns the env file of the MCP server. `recording` adds the ingest key, with which an assistant can record turns.
 */
export function buildMcpEnvFile(
  { places, url, apiKey, ingestKey }: AgentConnection,
  agent: string,
  recording = false,
): TrackwayConfigFile {
  const lines = [
    `# Made by: trackway connect ${agent}. It holds keys: for its owner alone.`,
    `TRACKER_URL=${url}`,
    `TRACKER_API_KEY=${apiKey}`,
    ...(recording ? [`TRACKER_INGEST_KEY=${ingestKey}`] : []),
  ];
  return { path: getAgentPaths(places, agent).tools, text: `${lines.join("\n")}\n` };
}
