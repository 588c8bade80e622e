import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseJsonFile } from "../../formats/json.ts";
import { EXIT, Failure } from "../failure.ts";
import { printToStderr } from "../output/print.ts";

/** Settings of a folder and its subfolders, shared by everybody who works there. */
interface Settings {
  /** Key or name of the default team. */
  team?: string;
  /** Server of the issues. This setting never decides where a key is sent. */
  server?: string;
  /** Commands that an issue must prove when it is completed, in addition to those of the team. */
  proofCommands?: string[];
}

const NAME = ".trackway.json";
const MOST_BYTES = 65_536;

/**
 * Returns the settings of the nearest folder with a settings file. Ignores settings for another server than the
 * login's, because a cloned repository must not redirect a key.
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

const unusable = (path: string, reason: string): Failure =>
  new Failure(`${path} cannot be used (${reason}).`, { exit: EXIT.usage, cure: `{"team": "ENG"} in ${path}` });
