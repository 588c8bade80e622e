import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Places } from "../files/places.ts";
import { appendPrivate, readIfThere, writePrivate } from "../files/whole-file.ts";
import type { Found } from "./find.ts";

/** A whole line of a file: its text, or undefined where it is too long to be held; its number from 1, and where it ends. */
export interface Line {
  text: string | undefined;
  number: number;
  end: number;
}

/** A place in a file, behind a line. */
interface Place {
  offset: number;
  /** The number of lines before it. */
  line: number;
}

/** The most bytes of a line that are held. */
const MAX_LINE = 32 * 1024 * 1024;
const NEWLINE = 10;

/** Bytes of a file that are read at once. */
export const CHUNK_BYTES = 256 * 1024;

/**
 * The whole lines of a file from a place on. Of one that is still written the last part is left for another time. It reads
 * into `chunk`, which may serve for one file after the other.
 */
export async function* linesFrom(path: string, { offset, line }: Place, chunk: Buffer): AsyncGenerator<Line> {
  const file = await open(path);
  try {
    let [number, end] = [line, offset];
    let parts: Buffer[] = [];
    let held = 0;
    for (let from = offset; ; ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
      if (bytesRead === 0) return;
      from += bytesRead;
      let rest = chunk.subarray(0, bytesRead);
      for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
        const last = rest.subarray(0, at);
        const length = held + last.length;
        number += 1;
        end += length + 1;
        const whole = held === 0 ? last : Buffer.concat([...parts, last]);
        yield { text: length > MAX_LINE ? undefined : whole.toString(), number, end };
        [parts, held] = [[], 0];
        rest = rest.subarray(at + 1);
      }
      held += rest.length;
      // Only the length counts of a line that is too long.
      if (held <= MAX_LINE) parts.push(Buffer.from(rest));
      else parts = [];
    }
  } finally {
    await file.close();
  }
}

/** The messages of a file that is one JSON object, each as a line behind the one with everything else. */
export async function* messagesOf(path: string): AsyncGenerator<Line> {
  const bytes = await readFile(path);
  const { messages, ...head } = JSON.parse(bytes.toString()) as { messages?: unknown[] };
  const all = [head, ...(Array.isArray(messages) ? messages : [])];
  for (const [at, each] of all.entries())
    yield { text: JSON.stringify(each), number: at + 1, end: at + 1 === all.length ? bytes.length : 0 };
}

/** The first bytes of a file, and its last. */
export async function edgesOf(path: string, bytes: number): Promise<{ head: string; tail: string }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = async (from: number) => {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(Math.min(bytes, size)),
        0,
        Math.min(bytes, size),
        from,
      );
      return buffer.toString("utf8", 0, bytesRead);
    };
    return { head: await read(0), tail: await read(Math.max(0, size - bytes)) };
  } finally {
    await file.close();
  }
}

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
