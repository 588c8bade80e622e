import { createHash } from "node:crypto";
import type { Places } from "../files/places.ts";
import { readIfThere, writeWhole } from "../files/whole-file.ts";
import { ownPaths } from "./agent.ts";

/** What is known of one file of the agent's. */
export interface FileRecord {
  /** Of the text that we wrote last. While the file still has it, the backup is all there was besides. */
  written: string;
  /** Where the text from before stands; null where there was no file. */
  backup: string | null;
}

/** What connecting an agent left behind, for whoever takes it back. */
export interface ConnectionRecord {
  url: string;
  organization?: string;
  /** Ids of the keys that were made for it. */
  ingestKeyId?: string;
  apiKeyId?: string;
  files: Record<string, FileRecord>;
}

/** The record of an agent, if it is connected. */
export async function readRecord(places: Places, agent: string): Promise<ConnectionRecord | undefined> {
  const text = await readIfThere(ownPaths(places, agent).record);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as ConnectionRecord);
  } catch {
    return undefined;
  }
}

/** Keeps it. */
export const writeRecord = (places: Places, agent: string, record: ConnectionRecord): Promise<void> =>
  writeWhole(ownPaths(places, agent).record, `${JSON.stringify(record, null, 2)}\n`);

/** A text's fingerprint. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
