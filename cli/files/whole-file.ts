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
import { CommandFailure, EXIT_CODES } from "../failure.ts";

/** Mode of a file that contains a key: only its owner can read and write the file. */
export const PRIVATE_MODE = 0o600;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a file as text. Returns undefined if the file does not exist. @throws CommandFailure if the file is not text */
export async function readFileIfExists(path: string): Promise<string | undefined> {
  try {
    // Checks for a pipe before opening the path, because opening a pipe would block until another process writes to the
    // pipe.
    const kind = describeKind(await stat(path));
    if (kind) throw new CommandFailure(`${path} is ${kind}; the command needs a file.`, { cure: `ls -ld '${path}'` });
    return utf8.decode(await readFile(path));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: the parent is a file, so the path cannot exist.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "the file is not UTF-8" : code;
    throw new CommandFailure(`${path} cannot be read (${reason}).`, { cure: `ls -ld '${path}'` });
  }
}

/** Returns the mode of a file, or undefined if the file does not exist. */
export const readMode = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );

/**
 * Resolves the path of a settings file. If the path is a symbolic link, returns the target of the link, even if the
 * target does not exist yet. Users who keep settings files in a repository use symbolic links.
 */
export const resolveSettingsLink = (path: string): Promise<string> => resolveLinks(path, "program");

/**
 * Writes a settings file completely or leaves the old file unchanged. An existing file keeps its owner, its mode
 * (unless `mode` is given), and the symbolic link that points to the file. A new file is readable only by its owner.
 * Returns the path of the outermost folder that was created, if any.
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
    const exit = error.code === "EEXIST" ? EXIT_CODES.usage : EXIT_CODES.failed;
    return new CommandFailure(`${error.message}.`, { exit, cure: `ls -ld '${dirname(path)}'` });
  }
  if (!isSystemError(error)) return error;
  return new CommandFailure(`${path} cannot be written (${error.code}).`, { cure: `ls -ld '${dirname(path)}'` });
}

/** Writes a file that contains a key, with mode 0600 in any case. */
export const writePrivateFile = (path: string, text: string): Promise<string | undefined> =>
  writeSettingsFile(path, text, PRIVATE_MODE);

/** Appends to a private file that the program chose. Creates a missing file with mode 0600. Does not follow a link. */
export async function appendToPrivateFile(path: string, text: string): Promise<void> {
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
 * @throws CommandFailure if the file cannot be written
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
