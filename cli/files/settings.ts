import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXIT, Failure } from "../failure.ts";
import { tell } from "../output/print.ts";

/** The settings of a folder and those below it, for everybody who works there. */
interface Settings {
  /** The key or name of the team to work in. */
  team?: string;
  /** The server that the issues are on. It never decides where a key is sent. */
  server?: string;
  /** Commands to prove beside those of the team when an issue is done. */
  proofCommands?: string[];
}

const NAME = ".trackway.json";
const MOST_BYTES = 65_536;

/**
 * The settings of the nearest folder that has some. Those for another server than the login's do not count: a repository
 * that somebody cloned must not lead a key elsewhere.
 */
export async function folderSettings(folder: string, url: string): Promise<Settings> {
  const found = await nearest(folder);
  if (!found) return {};
  const { server, ...settings } = parsed(found.path, found.text);
  if (server === undefined || server.replace(/\/+$/, "") === url) return settings;
  tell(`${found.path} is for ${server} and does not count: the login is for ${url}.`);
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
  if (text.length > MOST_BYTES) throw unusable(path, "it is too large");
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    throw unusable(path, "it is no JSON");
  }
  const { team, server, proof } = (settings ?? {}) as Record<string, unknown>;
  const proofCommands = (proof as { commands?: unknown } | null | undefined)?.commands ?? undefined;
  const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";
  if (!isText(team) || !isText(server)) throw unusable(path, "team and server are texts");
  const areTexts = Array.isArray(proofCommands) && proofCommands.every((each) => typeof each === "string");
  if (proofCommands !== undefined && !areTexts) throw unusable(path, "proof.commands is a list of texts");
  return { ...(team && { team }), ...(server && { server }), ...(areTexts && { proofCommands }) };
}

const unusable = (path: string, reason: string): Failure =>
  new Failure(`${path} cannot be used (${reason}).`, { exit: EXIT.usage, cure: `{"team": "ENG"} in ${path}` });
