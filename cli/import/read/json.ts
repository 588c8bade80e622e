import { JSONParser } from "@streamparser/json";
import { EXIT, Failure } from "../../failure.ts";
import { bytesOf } from "./file.ts";

type Records = AsyncGenerator<{ at: number; record: unknown }>;

/** Longer than any line that can be sent. */
const MAX_LINE = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/** The lines of a file of JSON lines. One that is no JSON, or too long, is a record of its fault. */
export async function* jsonLines(file: string, onBytes: (bytes: number) => void): Records {
  let at = 0;
  for await (const line of linesOf(file, onBytes)) {
    at += 1;
    if (line === undefined) yield { at, record: new Unreadable(`is longer than ${MAX_LINE / 1024 / 1024} MiB`) };
    else if (line.trim()) yield { at, record: parsed(line) };
  }
}

/** The stand-in for a record that cannot be read. */
export class Unreadable extends Error {}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return new Unreadable("is no JSON");
  }
}

/** Lines without their ends; undefined for one that is too long to keep. */
async function* linesOf(file: string, onBytes: (bytes: number) => void): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const taken = () => {
    const line = length > MAX_LINE ? undefined : Buffer.concat(parts).toString();
    [parts, length] = [[], 0];
    return line;
  };
  const keep = (part: Buffer) => {
    length += part.length;
    if (length > MAX_LINE) parts = [];
    else parts.push(part);
  };
  for await (const chunk of bytesOf(file, onBytes)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end));
      yield taken();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) yield taken();
}

/**
 * The members of an array of JSON, or of several one after another, as pages come; members that are arrays count as
 * their members. What begins with an object is read as JSON lines. Only one member is in memory at a time.
 * @throws Failure where the file is no JSON
 */
export async function* jsonRecords(file: string, onBytes: (bytes: number) => void): Records {
  if ((await firstOf(file)) === "{") return yield* jsonLines(file, onBytes);
  const found: unknown[] = [];
  const parser = new JSONParser({ paths: ["$.*"], keepStack: false, separator: "" });
  parser.onValue = ({ value }) => void found.push(value);
  let at = 0;
  try {
    for await (const chunk of bytesOf(file, onBytes)) {
      parser.write(chunk);
      for (const record of found.splice(0).flat()) yield { at: ++at, record };
    }
    if (!parser.isEnded) parser.end();
  } catch (error) {
    throw new Failure(`${file} is no JSON after record ${at}: ${(error as Error).message}`, {
      exit: EXIT.usage,
      cure: "export the file again",
    });
  }
}

/** The first character of a file that is no white space. */
async function firstOf(file: string): Promise<string | undefined> {
  for await (const chunk of bytesOf(file, () => {})) {
    const text = chunk.toString("latin1").trimStart();
    if (text) return text[0];
  }
  return undefined;
}
