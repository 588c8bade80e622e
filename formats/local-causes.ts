import { type FailureCause, readErrorCode } from "./causes.ts";

/** Explanations of failed access to files and folders on this machine, by error code. */
const FILES: ReadonlyMap<string, (path: string) => FailureCause> = new Map<string, (path: string) => FailureCause>([
  ...["ENOSPC", "EDQUOT"].map(
    (code) => [code, () => ({ what: "the disk is full", cure: "make room on that disk" })] as const,
  ),
  ["EROFS", () => ({ what: "the file system is read-only", cure: "make it writable for this process" })],
  ["ENOTDIR", (path) => ({ what: "a file stands where a folder must be", cure: `move the file that is at ${path}` })],
  ["EISDIR", (path) => ({ what: "a folder stands where a file must be", cure: `move the folder that is at ${path}` })],
  // ELOOP means that the path is a symbolic link. The server does not lock a file through a link.
  ["ELOOP", (path) => ({ what: "a link is in the way", cure: `remove the link that is at ${path}` })],
  [
    "EIO",
    () => ({ what: "the disk reports an error", cure: "copy what can be read to another disk before anything else" }),
  ],
  ...["EMFILE", "ENFILE"].map(
    (code) => [code, () => ({ what: "too many files are open", cure: "raise the limit (ulimit -n)" })] as const,
  ),
  ...["ENOMEM", "EAGAIN"].map(
    (code) => [code, () => ({ what: "the system has no memory or process left", cure: "free some" })] as const,
  ),
]);

/** Address at which a server tried to listen, and the variables that configure the address. */
interface Listener {
  host: string;
  port: number | string;
  hostVariable: string;
  portVariable: string;
}

/**
 * Explains why a server cannot listen, and names the variable to change. Returns undefined for error codes that are not
 * about listening.
 */
export function explainListenError(
  code: string,
  { host, port, hostVariable, portVariable }: Listener,
): string | undefined {
  const at = `${host}:${port}`;
  if (code === "EADDRINUSE")
    return `${portVariable}: ${at} is taken; stop what listens there or choose another ${portVariable}`;
  if (["EACCES", "EPERM"].includes(code))
    return `${portVariable}: not allowed to listen on ${at}; choose a ${portVariable} above 1023`;
  if (["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL", "EAFNOSUPPORT"].includes(code))
    return `${hostVariable}: ${host} is no address of this machine`;
  return undefined;
}

/**
 * Explains why a file could not be used; undefined for an unknown error code. The caller must check the owner of the
 * file.
 */
export const explainFileError = (error: unknown, path: string): FailureCause | undefined =>
  FILES.get(readErrorCode(error))?.(path);
