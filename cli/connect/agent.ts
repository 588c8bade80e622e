import { join } from "node:path";
import type { Places } from "../files/places.ts";

/** The address, keys and places an agent is connected with. */
export interface Connection {
  places: Places;
  /** Trackway's address. */
  url: string;
  ingestKey: string;
  apiKey: string;
  /** True if the agent is to be stopped when its claim reached a limit. */
  fuse?: boolean;
}

/** A file of the agent's own, and how ours is put in and taken out. Both leave alone what is not ours. */
export interface AgentFile {
  path: string;
  /** A text that has nothing of ours, with ours in it. Throws a Failure for a malformed one. */
  add(bare: string): string;
  /** Answers if a text has all that would be added to it as it is without ours. */
  has(text: string, bare: string): boolean;
  /** A text without ours; `before` is the text that ours was added to, where that is known. */
  remove(text: string, before?: string): string;
}

/** A file in Trackway's own folder. */
export interface OwnFile {
  path: string;
  text: string;
}

/** Something to say beside what is written. */
export type Note = string;

/** A program that can be connected. */
export interface Agent {
  /** As it is written on the command line, and in the address that its hooks post to. */
  name: string;
  title: string;
  /** Its command, where it has one. */
  program?: string;
  /** The way its activity reaches Trackway. */
  records: "hooks" | "telemetry" | "tools";
  /** Ours: keys and commands that its configuration points to. */
  own(connection: Connection): OwnFile[];
  files(connection: Connection): AgentFile[];
  /** Something that the reader has to know or do; `texts` are its files as they are without ours. */
  notes?(connection: Connection, texts: Map<string, string>): Note[];
  /** The steps that need its files written; answers notes for the reader. */
  settle?(connection: Connection): Promise<Note[]>;
  /** The hook events of a turn's beginning and end, for a first session; those of Claude Code by default. */
  turn?: [begin: string, end: string];
  /** True if a hook of it can stop it. */
  stops?: true;
  /** Checks of its own for `trackway doctor`. @throws Failure that says what is wrong */
  check?(places: Places): Promise<void>;
}

/** The folder in which Trackway keeps an agent's keys. */
export const folderOf = ({ config }: Places, agent: string): string => join(config, "agents", agent);

/** The folder's files by what they are for. */
export const ownPaths = (places: Places, agent: string) => {
  const inside = (name: string) => join(folderOf(places, agent), name);
  return {
    hook: inside("hook.curl"),
    fuse: inside("fuse.curl"),
    headers: inside("headers.json"),
    tools: inside("mcp.env"),
    variables: inside("telemetry.env"),
    record: inside("connection.json"),
  };
};
