import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Places } from "../files/places.ts";
import { readIfThere, writePrivate } from "../files/whole-file.ts";
import type { Found } from "./find.ts";
import type { Place } from "./lines.ts";

/** The place in a file up to which it was imported, and what the server wants to know before it goes on. */
export interface Position extends Place {
  inode: number;
  state?: unknown;
  /** The server knows that the file is over. */
  ended?: boolean;
}

/** The places in all files that were imported to a server. */
export interface Positions {
  of(file: Found): Position;
  set(file: Found, position: Position): void;
  save(): Promise<void>;
}

/** A file that is written while an import runs: between two writes lie a few seconds. */
const SAVE_MS = 5_000;

/** Reads the places for a server and a key, or begins anew. */
export async function readPositions(places: Places, to: string, again: boolean): Promise<Positions> {
  const name = createHash("sha256").update(to).digest("hex").slice(0, 16);
  const path = join(places.config, "imports", `${name}.json`);
  const known = new Map<string, Position>(again ? [] : Object.entries(parsed(await readIfThere(path))));
  let saved = Date.now();
  const write = async () => {
    saved = Date.now();
    await writePrivate(path, JSON.stringify(Object.fromEntries(known)));
  };
  return {
    of({ path: file, inode, size }) {
      const position = known.get(file);
      const isSame = position !== undefined && position.inode === inode && position.offset <= size;
      return isSame ? position : { offset: 0, line: 0, inode };
    },
    set({ path: file }, position) {
      known.set(file, position);
      if (Date.now() - saved > SAVE_MS) void write().catch(() => {});
    },
    save: write,
  };
}

function parsed(text: string | undefined): Record<string, Position> {
  try {
    return JSON.parse(text ?? "{}") as Record<string, Position>;
  } catch {
    return {};
  }
}
