import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Places } from "../files/places.ts";
import { appendPrivate, readIfThere, writePrivate } from "../files/whole-file.ts";
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

/** New places are written down while an import runs, so often. */
const SAVE_MS = 5_000;

/**
 * Reads the places for a server and a key, or begins anew. They lie in a file that grows by a line with each new place of a file;
 * at the next start the last one of each is kept. They are held as these lines, which take little room.
 */
export async function readPositions(places: Places, to: string, again: boolean): Promise<Positions> {
  const name = createHash("sha256").update(to).digest("hex").slice(0, 16);
  const path = join(places.config, "imports", `${name}.jsonl`);
  const lines = again ? [] : ((await readIfThere(path)) ?? "").split("\n").filter((line) => parsed(line));
  const known = new Map(lines.map((line) => [parsed(line)?.[0], line]));
  if (again || known.size < lines.length) await writePrivate(path, text([...known.values()]));
  let fresh: string[] = [];
  let saved = Date.now();
  const save = async () => {
    const added = text(fresh);
    [fresh, saved] = [[], Date.now()];
    if (added !== "") await appendPrivate(path, added);
  };
  return {
    of({ path: file, inode, size }) {
      const [, position] = parsed(known.get(file)) ?? [];
      const isSame = position !== undefined && position.inode === inode && position.offset <= size;
      return isSame ? position : { offset: 0, line: 0, inode };
    },
    set({ path: file }, position) {
      const line = JSON.stringify([file, position]);
      known.set(file, line);
      fresh.push(line);
      if (Date.now() - saved > SAVE_MS) void save().catch(() => {});
    },
    save,
  };
}

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** A file and its place; undefined for a line that was not written whole. */
function parsed(line = ""): [string, Position] | undefined {
  try {
    return JSON.parse(line) as [string, Position];
  } catch {
    return undefined;
  }
}
