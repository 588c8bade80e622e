import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonFile, removeByteOrderMark } from "../../formats/json.ts";
import type { UserEnvironment } from "../files/places.ts";
import { appendToPrivateFile, readFileIfExists, writePrivateFile } from "../files/whole-file.ts";
import { warnOnFailure } from "../output/print.ts";
import type { SessionFile } from "./find.ts";
import { isZstdFile, unpack, unpackHead } from "./zstd.ts";

/**
 * A line of a file. `text` is undefined if the line is too long. `number` counts lines from 1. `end` is the offset in
 * the file after the line.
 */
export interface FileLine {
  text: string | undefined;
  number: number;
  end: number;
}

/** A position in a file, after a line. */
interface Place {
  offset: number;
  /** Number of lines before the position. */
  line: number;
}

/** Maximum bytes of a line that are kept in memory. */
const MAX_LINE = 32 * 1024 * 1024;
const NEWLINE = 10;

/** Bytes per read. */
export const CHUNK_BYTES = 256 * 1024;

/**
 * Reads the complete lines of a file from a position on. An incomplete last line, which a program may still be writing,
 * is left for the next import. Reads into `chunk`, which the caller may reuse for several files.
 */
export const readLines = (path: string, place: Place, chunk: Buffer): AsyncGenerator<FileLine> =>
  splitLines(readPieces(path, place.offset, chunk), place);

async function* readPieces(path: string, offset: number, chunk: Buffer): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    for (let from = offset; ; ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
      if (bytesRead === 0) return;
      from += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/**
 * Splits bytes into lines. The bytes begin at the given position in the file. With `isComplete`, bytes after the last
 * line break also count as a line.
 */
async function* splitLines(
  pieces: AsyncIterable<Buffer>,
  { offset, line }: Place,
  isComplete = false,
): AsyncGenerator<FileLine> {
  let [number, end] = [line, offset];
  let parts: Buffer[] = [];
  let held = 0;
  const endLine = (last: Buffer): FileLine => {
    const length = held + last.length;
    number += 1;
    end += length + 1;
    const whole = held === 0 ? last : Buffer.concat([...parts, last]);
    const text = number === 1 ? removeByteOrderMark(whole.toString()) : whole.toString();
    [parts, held] = [[], 0];
    return { text: length > MAX_LINE ? undefined : text, number, end };
  };
  for await (const piece of pieces) {
    let rest = piece;
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      yield endLine(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
    }
    held += rest.length;
    // If the line is already too long, discards the bytes of the line and only counts the bytes.
    if (held <= MAX_LINE) parts.push(Buffer.from(rest));
    else parts = [];
  }
  if (isComplete && held > 0) yield endLine(Buffer.alloc(0));
}

/**
 * Reads a file that contains one JSON object, and returns the object as several lines. The first line contains
 * everything except the messages. Each further line contains one message.
 */
export async function* readMessages(path: string): AsyncGenerator<FileLine> {
  const bytes = await readFile(path);
  const { messages, ...head } = parseJsonFile(bytes.toString()) as { messages?: unknown[] };
  const all = [head, ...(Array.isArray(messages) ? messages : [])];
  for (const [at, each] of all.entries())
    yield { text: JSON.stringify(each), number: at + 1, end: at + 1 === all.length ? bytes.length : 0 };
}

/**
 * Reads the lines of a compressed file. Only the last line moves the stored position, because reading cannot begin in
 * the middle of a compressed file.
 */
export async function* readPackedLines(path: string, size: number): AsyncGenerator<FileLine> {
  let last: FileLine | undefined;
  for await (const line of splitLines(unpack(path), { offset: 0, line: 0 }, true)) {
    if (last) yield { ...last, end: 0 };
    last = line;
  }
  if (last) yield { ...last, end: size };
}

/** Reads the first bytes of a file, unpacked. */
export const readFileHead = async (path: string, bytes: number): Promise<string> =>
  isZstdFile(path) ? (await unpackHead(path, bytes)).toString() : readPart(path, bytes, () => 0);

/** Reads the first and the last bytes of a file; of a packed file, only the first bytes. */
export const readFileEdges = async (path: string, bytes: number): Promise<{ head: string; tail: string }> => ({
  head: await readFileHead(path, bytes),
  tail: isZstdFile(path) ? "" : await readPart(path, bytes, (size) => Math.max(0, size - bytes)),
});

async function readPart(path: string, bytes: number, startIn: (size: number) => number): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(bytes, size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, startIn(size));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Position up to which a file was imported. `state` is the value that the server needs to continue after this position.
 */
export interface FilePosition extends Place {
  inode: number;
  state?: unknown;
  /** True if the server was notified that the file is complete. */
  ended?: boolean;
}

/** Positions in all files that were imported to a server. */
export interface FilePositions {
  of(file: SessionFile): FilePosition;
  set(file: SessionFile, position: FilePosition): void;
  save(): Promise<void>;
}

/** Interval at which a running import saves new positions. */
const SAVE_MS = 5_000;

/**
 * Reads the stored positions for `to`, which names the server and the home folder. With `again`, ignores stored
 * positions and starts all files from the beginning. The file of positions gets one line for each new position of a
 * session file, and only the last line for each session file counts; the lines stay in memory as text, because text
 * needs little memory.
 */
export async function readPositions(places: UserEnvironment, to: string, again: boolean): Promise<FilePositions> {
  const name = createHash("sha256").update(to).digest("hex").slice(0, 16);
  const path = join(places.config, "imports", `${name}.jsonl`);
  const lines = again ? [] : ((await readFileIfExists(path)) ?? "").split("\n").filter((line) => parsePosition(line));
  const known = new Map(lines.map((line) => [parsePosition(line)?.[0], line]));
  if (again || known.size < lines.length)
    await warnOnFailure(
      writePrivateFile(path, text([...known.values()])),
      "The progress of this import was not saved.",
    );
  let fresh: string[] = [];
  let saved = performance.now();
  const save = async () => {
    const added = text(fresh);
    [fresh, saved] = [[], performance.now()];
    if (added !== "") await appendToPrivateFile(path, added);
  };
  return {
    of({ path: file, inode, size }) {
      const [, position] = parsePosition(known.get(file)) ?? [];
      const isSame = position !== undefined && position.inode === inode && position.offset <= size;
      return isSame ? position : { offset: 0, line: 0, inode };
    },
    set({ path: file }, position) {
      const line = JSON.stringify([file, position]);
      known.set(file, line);
      fresh.push(line);
      if (performance.now() - saved > SAVE_MS) void save().catch(() => {});
    },
    save,
  };
}

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Parses a file's path and position. Returns undefined for an incomplete line. */
function parsePosition(line = ""): [string, FilePosition] | undefined {
  try {
    return parseJsonFile(line) as [string, FilePosition];
  } catch {
    return undefined;
  }
}
