import { createHash } from "node:crypto";
import type { Places } from "../../files/places.ts";
import { readIfThere, writePrivate } from "../../files/whole-file.ts";
import { ownPaths } from "../agent.ts";

/** A file of the agent's without anything of ours; null where there was none. */
export type Before = { text: string; mode: number } | null;

/** The record of one file of the agent's. */
export interface FileRecord {
  /** Digest of the text that we wrote last. While the file still has it, what was before is all there was besides. */
  written: string;
  /** The rights that we left it. */
  mode: number;
  before: Before;
  /** Folders that were made for it, the innermost first. */
  folders: string[];
}

/** The record of a connected agent, for whoever takes it back. */
export interface ConnectionRecord {
  url: string;
  organization?: string;
  /** Ids of the keys that were made for it. */
  ingestKeyId?: string;
  apiKeyId?: string;
  /** True if a hook stops it at a limit. */
  fuse?: true;
  files: Record<string, FileRecord>;
}

/** The record of an agent, if it is connected. */
export async function readRecord(places: Places, agent: string): Promise<ConnectionRecord | undefined> {
  const text = await readIfThere(ownPaths(places, agent).record);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as ConnectionRecord;
  } catch {
    return undefined;
  }
}

/** Keeps it. */
export const writeRecord = (places: Places, agent: string, record: ConnectionRecord): Promise<unknown> =>
  writePrivate(ownPaths(places, agent).record, `${JSON.stringify(record, null, 2)}\n`);

/** A text's fingerprint. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
