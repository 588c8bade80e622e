import { homedir } from "node:os";

/** Returns the home folder from HOME or from the user database; undefined in containers and sandboxes that have neither. */
export function findHomeFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env["HOME"] || env["USERPROFILE"];
  if (given) return given;
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the working folder; undefined if the folder was deleted. */
export function findWorkingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Returns true for an error of the operating system. The environment is the cause, so a stack trace does not help. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";

/** Message for a relative path while the working folder is deleted. */
export const DELETED_FOLDER_MESSAGE =
  "The working folder was deleted: change to another folder, or give absolute paths.";

/** Returns an error of the operating system as one line. */
export const toErrorLine = (error: NodeJS.ErrnoException): string =>
  error.syscall === "uv_cwd" ? DELETED_FOLDER_MESSAGE : error.message;
