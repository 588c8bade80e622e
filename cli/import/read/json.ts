import { JSONParser } from "@streamparser/json";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { readBytes } from "./file.ts";

type Records = AsyncGenerator<{ at: number; record: unknown }>;

/** Maximum bytes of a line. No request can contain a longer line. */
const MAX_LINE = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads a file with one JSON value per line. For a line that is invalid or too long, returns an UnreadableRecordError
 * instead of the value.
 */
export async function* readJsonLines(file: string, onBytes: (bytes: number) => void): Records {
  let at = 0;
  for await (const line of linesOf(file, onBytes)) {
    at += 1;
    if (line === undefined)
      yield { at, record: new UnreadableRecordError(`is longer than ${MAX_LINE / 1024 / 1024} MiB`) };
    else if (line.trim()) yield { at, record: parsed(line) };
  }
}

/** Takes the place of a record that cannot be read, and contains the reason. */
export class UnreadableRecordError extends Error {}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return new UnreadableRecordError("is not valid JSON");
  }
}

/** Reads the lines of a file, without the line ends. Returns undefined for a line that is too long. */
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
  for await (const chunk of readBytes(file, onBytes)) {
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
 * Reads the elements of a JSON array, one element at a time to limit memory. The file may contain several arrays one
 * after the other, such as pages. If an element is itself an array, returns its elements. If the file begins with an
 * object, reads the file as JSON lines.
 * @throws CommandFailure if the file is not valid JSON
 */
export async function* readJsonRecords(file: string, onBytes: (bytes: number) => void): Records {
  if ((await firstOf(file)) === "{") return yield* readJsonLines(file, onBytes);
  const found: unknown[] = [];
  const parser = new JSONParser({ paths: ["$.*"], keepStack: false, separator: "" });
  parser.onValue = ({ value }) => void found.push(value);
  let at = 0;
  try {
    for await (const chunk of readBytes(file, onBytes)) {
      parser.write(chunk);
      for (const record of found.splice(0).flat()) yield { at: ++at, record };
    }
    if (!parser.isEnded) parser.end();
  } catch (error) {
    throw new CommandFailure(`${file} is not valid JSON after record ${at}: ${(error as Error).message}`, {
      exit: EXIT_CODES.usage,
      cure: "export the file again",
    });
  }
}

/** Returns the first character of a file that is not white space. */
async function firstOf(file: string): Promise<string | undefined> {
  for await (const chunk of readBytes(file, () => {})) {
    const text = chunk.toString("latin1").trimStart();
    if (text) return text[0];
  }
  return undefined;
}
