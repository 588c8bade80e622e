import { constants } from "node:fs";
import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isSystemError } from "../../system/places.ts";
import {
  CannotWrite,
  describeKind,
  type NamedBy,
  writeWholeFile as replaceWhole,
  resolveLinks,
} from "../../system/whole-file.ts";
import { EXIT, Failure } from "../failure.ts";

/** Mode of a file that contains a key: only its owner can read and write the file. */
export const PRIVATE_MODE = 0o600;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a file as text. Returns undefined if the file does not exist. @throws Failure if the file is not text */
export async function readFileIfExists(path: string): Promise<string | undefined> {
  try {
    // Opening a pipe would wait until another process writes into the pipe.
    const kind = describeKind(await stat(path));
    if (kind) throw new Failure(`${path} is ${kind}; the command needs a file.`, { cure: `ls -ld '${path}'` });
    return utf8.decode(await readFile(path));
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: the parent is a file, so the path cannot exist.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "the file is not UTF-8" : code;
    throw new Failure(`${path} cannot be read (${reason}).`, { cure: `ls -ld '${path}'` });
  }
}

/** Returns the mode of a file, or undefined if the file does not exist. */
export const readMode = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );

/**
 * Returns the file that a settings path leads to: the target of a symbolic link, even if the target does not exist yet.
 * Users who keep settings in a repository use such links.
 */
export const resolveSettingsLink = (path: string): Promise<string> => resolveLinks(path, "program");

/**
 * Writes a complete settings file or leaves the old file. The file keeps its owner, its symbolic link and (unless `mode` is
 * given) its mode. A new file is private. Returns the first folder that was created.
 */
export async function writeSettingsFile(
  path: string,
  text: string,
  mode?: number,
  namedBy: NamedBy = "program",
): Promise<string | undefined> {
  try {
    const target = await resolveLinks(path, namedBy);
    const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const writing = { namedBy, mode, newMode: PRIVATE_MODE };
    await replaceWhole(path, (stream) => pipeline(Readable.from([text]), stream), writing);
    return made;
  } catch (error) {
    throw toWriteFailure(path, error);
  }
}

/** Converts an error of the file system into a Failure. Returns other errors unchanged. */
export function toWriteFailure(path: string, error: unknown): unknown {
  if (error instanceof CannotWrite) {
    const exit = error.code === "EEXIST" ? EXIT.usage : EXIT.failed;
    return new Failure(`${error.message}.`, { exit, cure: `ls -ld '${dirname(path)}'` });
  }
  if (!isSystemError(error)) return error;
  return new Failure(`${path} cannot be written (${error.code}).`, { cure: `ls -ld '${dirname(path)}'` });
}

/** Writes a file that contains a key, with mode 0600 in any case. */
export const writePrivate = (path: string, text: string): Promise<string | undefined> =>
  writeSettingsFile(path, text, PRIVATE_MODE);

/** Appends to a private file that the program chose. Creates a missing file with mode 0600. Does not follow a link. */
export async function appendPrivate(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
    const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, PRIVATE_MODE);
    await file.appendFile(text).finally(() => file.close());
  } catch (error) {
    throw toWriteFailure(path, error);
  }
}

/**
 * Checks that a settings file can be written, before the command sends a request.
 * @throws Failure if the file cannot be written
 */
export async function checkWritable(path: string): Promise<void> {
  try {
    const target = await resolveLinks(path, "program");
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const trial = `${target}.${process.pid}.partial`;
    await (await open(trial, "wx", PRIVATE_MODE)).close();
    await rm(trial);
  } catch (error) {
    throw toWriteFailure(path, error);
  }
}
