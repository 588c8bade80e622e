import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseJsonFile } from "../../formats/json.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { printToStderr } from "../output/print.ts";

/** Settings of a folder and its subfolders, shared by everybody who works there. */
interface Settings {
  /** Key or name of the default team. */
  team?: string;
  /** URL of the server that contains the issues. Trackway never uses this setting to decide where a key is sent. */
  server?: string;
  /**
   * Commands that must have passed in the recorded sessions to prove that an issue is done, in addition to the team's
   * commands. Without this proof, an issue cannot be completed if the team requires proof.
   */
  proofCommands?: string[];
}

const NAME = ".trackway.json";
const MOST_BYTES = 65_536;

/**
 * Returns the settings from the nearest folder that contains a settings file. Ignores a settings file for another
 * server than the login's, because a cloned repository must not be able to redirect a key to its own server.
 */
export async function readFolderSettings(folder: string | undefined, url: string): Promise<Settings> {
  const found = folder === undefined ? undefined : await nearest(folder);
  if (!found) return {};
  const { server, ...settings } = parsed(found.path, found.text);
  if (server === undefined || server.replace(/\/+$/, "") === url) return settings;
  printToStderr(`${found.path} is ignored: it is for ${server}, and the login is for ${url}.`);
  return {};
}

async function nearest(folder: string): Promise<{ path: string; text: string } | undefined> {
  const path = join(folder, NAME);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES" || error.code === "ENOTDIR") return undefined;
    throw unusable(path, String(error.code));
  });
  if (text !== undefined) return { path, text };
  const above = dirname(folder);
  return above === folder ? undefined : nearest(above);
}

function parsed(path: string, text: string): Settings {
  if (text.length > MOST_BYTES) throw unusable(path, "the file is too large");
  let settings: unknown;
  try {
    settings = parseJsonFile(text);
  } catch {
    throw unusable(path, "the file is not valid JSON");
  }
  const { team, server, proof } = (settings ?? {}) as Record<string, unknown>;
  const proofCommands = (proof as { commands?: unknown } | null | undefined)?.commands ?? undefined;
  const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";
  if (!isText(team) || !isText(server)) throw unusable(path, "team and server must be strings");
  const areTexts = Array.isArray(proofCommands) && proofCommands.every((each) => typeof each === "string");
  if (proofCommands !== undefined && !areTexts) throw unusable(path, "proof.commands must be a list of strings");
  return { ...(team && { team }), ...(server && { server }), ...(areTexts && { proofCommands }) };
}

const unusable = (path: string, reason: string): CommandFailure =>
  new CommandFailure(`${path} cannot be used (${reason}).`, {
    exit: EXIT_CODES.usage,
    cure: `{"team": "ENG"} in ${path}`,
  });
