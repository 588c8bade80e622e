import { join } from "node:path";
import type { UserEnvironment } from "../files/places.ts";

/** Data for connecting an agent: the server's address, the keys, and the folders of this machine. */
export interface AgentConnection {
  places: UserEnvironment;
  /** URL of the Trackway server. */
  url: string;
  ingestKey: string;
  apiKey: string;
  /** True if a hook stops the agent when its claim has reached a limit. */
  fuse?: boolean;
}

/**
 * A configuration file of an agent, with functions that add and remove Trackway's settings. The functions keep all
 * other content of the file.
 */
export interface AgentConfigFile {
  path: string;
  /**
   * Returns the text with Trackway's settings added. `bare` is the text without any of Trackway's settings. Throws a
   * Failure if the text is malformed.
   */
  add(bare: string): string;
  /**
   * Returns true if `text` already contains every setting that `add` would add. `bare` is the same text without
   * Trackway's settings.
   */
  has(text: string, bare: string): boolean;
  /**
   * Returns the text without Trackway's settings. `before` is the text without these settings that was recorded when
   * Trackway last changed the file, if known.
   */
  remove(text: string, before?: string): string;
}

export interface TrackwayConfigFile {
  path: string;
  text: string;
}

/** Information for the user, printed after the changes. */
export type PostConnectNote = string;

export interface Agent {
  /** Name of the agent on the command line, and in the URL to which the agent's hooks send requests. */
  name: string;
  title: string;
  /** Command that starts the agent, if there is one. */
  program?: string;
  /** Channel through which the agent's activity reaches Trackway. */
  records: "hooks" | "telemetry" | "tools";
  /**
   * Returns the files that Trackway stores in its own folder. The files in Trackway's folder contain keys and settings,
   * and the agent's configuration refers to the files.
   */
  own(connection: AgentConnection): TrackwayConfigFile[];
  files(connection: AgentConnection): AgentConfigFile[];
  /**
   * Returns messages for the user. `texts` contains the text of each of the agent's files without Trackway's settings,
   * by path.
   */
  notes?(connection: AgentConnection, texts: Map<string, string>): PostConnectNote[];
  /** Performs the steps that are possible only after all files are written. Returns messages for the user. */
  settle?(connection: AgentConnection): Promise<PostConnectNote[]>;
  /**
   * Names of the hook events at the beginning and the end of a turn. The test session sends the hook events at the
   * beginning and the end of a turn. The default is the names that Claude Code uses.
   */
  turn?: [begin: string, end: string];
  /** True if a hook can stop the agent. */
  stops?: true;
  /**
   * Performs the checks of `trackway doctor` that are specific to this agent. @throws Failure that describes the
   * problem
   */
  check?(places: UserEnvironment): Promise<void>;
}

/** Returns the folder with Trackway's keys for an agent. */
export const getAgentFolder = ({ config }: UserEnvironment, agent: string): string => join(config, "agents", agent);

/** Returns the paths of the files in Trackway's folder for an agent, by the purpose of each file. */
export const getAgentPaths = (places: UserEnvironment, agent: string) => {
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
