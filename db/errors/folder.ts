import { accessSync, constants, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readErrorCode } from "../../formats/causes.ts";
import { explainFileError } from "../../formats/local-causes.ts";
import { getOwnProperty } from "../../formats/own.ts";

/** Maximum number of files of a data folder that are checked. */
const MOST = 20_000;

/**
 * Explains why a folder cannot be used, with the fix. If a file belongs to another user, the explanation names this
 * cause before all others, because only `chown` keeps the data.
 */
export function explainFolderError(folder: string, error: unknown): string {
  const code = readErrorCode(error);
  const path = pathOf(error) ?? folder;
  const foreign = explainFileOfOtherUser(folder);
  if (foreign) return foreign;
  const known = explainFileError(error, path);
  if (known) return `${path} cannot be used: ${known.what} (${code}); ${known.cure}`;
  if (["EACCES", "EPERM"].includes(code)) return `${path} may not be used by this process (${code}); ${permit(folder)}`;
  return `${path} cannot be used (${error instanceof Error ? error.message : String(error)})`;
}

function permit(folder: string): string {
  const user = process.geteuid?.() ?? "this user";
  return existsSync(folder) ? "check its rights with ls -ld" : `create ${folder} and give it to user ${user} (chown)`;
}

function pathOf(error: unknown): string | undefined {
  const path = error instanceof Error ? getOwnProperty(error as unknown as Record<string, unknown>, "path") : undefined;
  return typeof path === "string" ? path : undefined;
}

/**
 * Finds the first file of a folder that belongs to another user and that this process cannot use. Returns a message
 * with the file and the fix; undefined if there is no such file.
 */
export function explainFileOfOtherUser(folder: string): string | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  for (const path of pathsBelow(folder)) {
    const owner = ownerOf(path);
    if (owner === undefined || owner === own || mayUse(path)) continue;
    return `${path} belongs to user ${owner}, and this process runs as user ${own}; start it as that user, or give the folder to this one: sudo chown -R ${own} '${folder}'`;
  }
  return undefined;
}

function mayUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path).uid;
  } catch {
    return undefined;
  }
}

/** Returns a folder and all paths below the folder that can be listed. */
function pathsBelow(folder: string): string[] {
  const paths = [folder];
  for (let at = 0; at < paths.length && paths.length < MOST; at += 1) {
    const path = String(paths[at]);
    try {
      for (const { name } of readdirSync(path, { withFileTypes: true })) paths.push(join(path, name));
    } catch {
      // The path is a file, or a folder that cannot be listed. The caller checks the owner of both.
    }
  }
  return paths;
}
