import { randomBytes } from "node:crypto";
import { constants, createWriteStream, type Stats } from "node:fs";
import { access, lstat, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";

/**
 * Origin of a path. For a path from the user, the writer follows every link, and writes into pipes and devices. For a path
 * that a program chose, another user could have created a link: the writer follows only links of this process's user and of
 * root, and only to files.
 */
export type NamedBy = "user" | "program";

/** Options of a writer. */
export interface WriteOptions {
  namedBy: NamedBy;
  /** Mode of the file. By default an existing file keeps its mode. */
  mode?: number | undefined;
  /** Mode of a new file before the umask; default 0666. */
  newMode?: number;
}

/** A path cannot be written. The message is one line that names the obstacle. */
export class CannotWrite extends Error {
  readonly path: string;
  readonly code: string;

  constructor(path: string, code: string, reason: string) {
    super(`${path} cannot be written (${code}): ${reason}`);
    this.path = path;
    this.code = code;
  }
}

/**
 * Writes a file with the bytes that `fill` writes to the stream. The new content replaces the old only when it is completely
 * on disk: a full disk, a kill or a power failure leaves the old bytes, or no file. Keeps a link and replaces the link's
 * target. Writes into a pipe or device and never replaces it. All programs write whole files with this function.
 * @throws CannotWrite, or the error of `fill`
 */
export async function writeWholeFile<T>(
  path: string,
  fill: (target: NodeJS.WritableStream) => Promise<T>,
  writing: WriteOptions,
): Promise<T> {
  try {
    const target = await resolveLinks(path, writing.namedBy);
    const before = await thereOrNot(stat(target));
    if (isStream(target, before)) return await filled(await streamInto(target), fill);
    return await replaceFile(target, before, fill, writing);
  } catch (error) {
    throw toCannotWrite(path, error);
  }
}

async function replaceFile<T>(
  target: string,
  before: Stats | undefined,
  fill: (target: NodeJS.WritableStream) => Promise<T>,
  { mode, newMode = 0o666 }: WriteOptions,
): Promise<T> {
  // The owner may have made the file read-only. A rename would ignore the mode.
  if (before) await access(target, constants.W_OK);
  const partial = `${target}.${randomBytes(4).toString("hex")}.partial`;
  try {
    // The flag "wx" follows no link and opens no existing file.
    const stream = createWriteStream(partial, { flags: "wx", mode: mode ?? (before ? 0o600 : newMode) });
    const result = await filled(stream, fill);
    await settle(partial, before, mode);
    await rename(partial, target);
    // Windows makes names durable without a request, and cannot open directories.
    if (process.platform !== "win32") await synced(await open(dirname(target), "r"));
    return result;
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

/** Gives the new file the owner and mode of the replaced file, and flushes the new file to disk. */
async function settle(partial: string, before: Stats | undefined, mode: number | undefined): Promise<void> {
  const file = await open(partial, "r+");
  try {
    const own = process.getuid?.();
    if (before && (before.uid !== own || before.gid !== process.getgid?.()))
      await file.chown(before.uid, before.gid).catch((error) => {
        // A process cannot assign a group of which it is not a member. A wrong group is accepted; a wrong owner is an
        // error.
        if (before.uid !== own) throw error;
      });
    const rights = mode ?? (before && before.mode & 0o777);
    if (rights !== undefined) await file.chmod(rights);
    await file.sync();
  } finally {
    await file.close();
  }
}

const synced = (file: Awaited<ReturnType<typeof open>>): Promise<void> => file.sync().finally(() => file.close());

/** Maximum number of links in a chain, more than any kernel follows. */
const MOST_LINKS = 40;
/** Path of an open file of this process. */
const DESCRIPTOR = new RegExp(`^/(?:dev|proc/(?:self|thread-self|${process.pid}))/fd/(\\d+)$`);

/**
 * Returns the path that a link leads to, even if the target does not exist; any other path unchanged.
 * @throws CannotWrite for a link that must not be followed, and if a program chose a path that is not a file
 */
export async function resolveLinks(path: string, namedBy: NamedBy): Promise<string> {
  let target = path;
  for (let links = 0; ; links += 1) {
    if (namedBy === "user" && DESCRIPTOR.test(target)) return target;
    const found = await thereOrNot(lstat(target));
    if (!found?.isSymbolicLink()) {
      const kind = found && describeKind(found);
      if (kind === "a folder" || kind === "a socket" || (namedBy === "program" && kind))
        throw new CannotWrite(path, "EEXIST", `${target === path ? "it" : target} is ${kind}; a file is needed there`);
      return target;
    }
    if (links === MOST_LINKS) throw new CannotWrite(path, "ELOOP", "its links lead to each other");
    if (namedBy === "program" && process.getuid && ![0, process.getuid()].includes(found.uid))
      throw new CannotWrite(path, "ELOOP", `${target} is a link that another user (${found.uid}) created; remove it`);
    const to = await readlink(target);
    target = isAbsolute(to) ? to : `${await realpath(dirname(target))}/${to}`;
  }
}

/** Returns the kind of a path that is not a file; undefined for a file. */
export function describeKind(found: Stats): string | undefined {
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a pipe";
  if (found.isSocket()) return "a socket";
  return found.isFile() ? undefined : "a device";
}

const isStream = (target: string, found: Stats | undefined): boolean =>
  DESCRIPTOR.test(target) || (found !== undefined && describeKind(found) !== undefined);

/** Opens a stream into a pipe, a device or an open file of this process, without creating a file. */
async function streamInto(target: string): Promise<Writable> {
  const [, descriptor] = DESCRIPTOR.exec(target) ?? [];
  if (descriptor === undefined) return (await open(target, constants.O_WRONLY)).createWriteStream();
  const standard: Writable | undefined = new Map<string, Writable>([
    ["1", process.stdout],
    ["2", process.stderr],
  ]).get(descriptor);
  if (!standard) return createWriteStream("", { fd: Number(descriptor), autoClose: false });
  // Standard streams stay open for later output.
  return new Writable({ write: (chunk, _, done) => void standard.write(chunk, done) });
}

/** Returns the result of `fill` when the stream has accepted all bytes. If `fill` fails, closes the stream first. */
async function filled<T>(target: Writable, fill: (target: NodeJS.WritableStream) => Promise<T>): Promise<T> {
  const over = finished(target);
  over.catch(() => {});
  try {
    const result = await Promise.race([fill(target), over.then(() => new Promise<T>(() => {}))]);
    target.end();
    await over;
    return result;
  } catch (error) {
    target.destroy();
    await over.catch(() => {});
    throw error;
  }
}

async function thereOrNot(found: Promise<Stats>): Promise<Stats | undefined> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** System calls on files. An error of another system call, such as on a socket, comes from `fill`. */
const ON_FILES = /^(?:open|write|writev|f?sync|rename|close|access|[fl]?stat|readlink|realpath|fchown|fchmod)$/;

/**
 * Converts the error of a system call into one line with the requested path, because the name of the partial file does not
 * help.
 */
function toCannotWrite(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof CannotWrite || !code || !syscall || !ON_FILES.test(syscall)) return error;
  return new CannotWrite(path, code, reasonOf(code, dirname(path)));
}

function reasonOf(code: string, folder: string): string {
  if (code === "ENOENT" || code === "ENOTDIR") return `there is no folder ${folder}`;
  if (code === "EACCES" || code === "EPERM") return `the rights of the file or of its folder ${folder} forbid it`;
  if (code === "EROFS") return `the file system of ${folder} is read-only`;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return `no space is left for it in ${folder}`;
  if (code === "EPIPE") return "nobody reads the pipe any more";
  return "the operating system refused it";
}
