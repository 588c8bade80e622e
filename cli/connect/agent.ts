import { join } from "node:path";
import type { Places } from "../files/places.ts";

/** Address, keys and paths for the connection of an agent. */
export interface Connection {
  places: Places;
  /** URL of the Trackway server. */
  url: string;
  ingestKey: string;
  apiKey: string;
  /** True if a hook stops the agent when its claim has reached a limit. */
  fuse?: boolean;
}

/**
 * A file of the agent, with functions that add Trackway's parts and remove them. The functions keep all other content.
 */
export interface AgentFile {
  path: string;
  /**
   * Returns the text with Trackway's parts added. `bare` contains none of them. Throws a Failure for a malformed text.
   */
  add(bare: string): string;
  /**
   * Returns true if a text contains everything that `add` would add to `bare`, the same text without Trackway's parts.
   */
  has(text: string, bare: string): boolean;
  /** Returns the text without Trackway's parts. `before` is the original text, if it is known. */
  remove(text: string, before?: string): string;
}

export interface TrackwayFile {
  path: string;
  text: string;
}

/** Information for the user, printed after the changes. */
export type AgentNote = string;

export interface Agent {
  /** Name on the command line, and in the URL to which the hooks post. */
  name: string;
  title: string;
  /** Command that starts the agent, if there is one. */
  program?: string;
  /** Channel through which the agent's activity reaches Trackway. */
  records: "hooks" | "telemetry" | "tools";
  /** Returns the files in Trackway's folder, with keys and commands, that the agent's configuration refers to. */
  own(connection: Connection): TrackwayFile[];
  files(connection: Connection): AgentFile[];
  /** Returns information for the user. `texts` are the agent's files without Trackway's parts, by path. */
  notes?(connection: Connection, texts: Map<string, string>): AgentNote[];
  /** Does the steps that need the written files. Returns information for the user. */
  settle?(connection: Connection): Promise<AgentNote[]>;
  /**
   * Hook events for the beginning and the end of a turn, used for the test session. Defaults to those of Claude Code.
   */
  turn?: [begin: string, end: string];
  /** True if a hook can stop the agent. */
  stops?: true;
  /** Makes the agent's own checks for `trackway doctor`. @throws Failure with the problem */
  check?(places: Places): Promise<void>;
}

/** Returns the folder with Trackway's keys for an agent. */
export const getAgentFolder = ({ config }: Places, agent: string): string => join(config, "agents", agent);

/** Returns the paths of the files in that folder, by purpose. */
export const getAgentPaths = (places: Places, agent: string) => {
  const inside = (name: string) => join(getAgentFolder(places, agent), name);
  return {
    hook: inside("hook.curl"),
    fuse: inside("fuse.curl"),
    headers: inside("headers.json"),
    tools: inside("mcp.env"),
    variables: inside("telemetry.env"),
    record: inside("connection.json"),
  };
};
