import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonFile } from "../../formats/json.ts";
import { findWorkingFolder } from "../../system/places.ts";
import { type Caller, graphql } from "../api/graphql.ts";
import { requireLogin } from "../credentials/access.ts";
import { EXIT, Failure } from "../failure.ts";
import { hasSettingsFolder, type Places, readPlaces } from "../files/places.ts";
import { readFolderSettings } from "../files/settings.ts";
import { readFileIfExists, writePrivate } from "../files/whole-file.ts";

/** Stored record of a claim. */
interface Remembered {
  id: string;
  identifier: string;
  fence: number;
  /** Last known end of the lease. */
  until: string;
}

/** Stored record and its file. */
interface Kept {
  path: string;
  claim: Remembered;
}

/** Time after the end of the lease at which the record is deleted. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Fences of the claims that were made on this machine. Each is a separate file, so that concurrent agents never write
 * the same file. The folders differ by server, key and TRACKWAY_SESSION: two agents that share a key and a home folder
 * set different sessions, and neither finds the fence of the other.
 */
interface Fences {
  remember(claim: Remembered): Promise<void>;
  recall(issue: string): Promise<number | undefined>;
  forget(issue: string): Promise<void>;
}

/** Opens the stored fences of a caller. */
function fencesOf(places: Places, { url, apiKey }: Caller): Fences {
  const session = places.env["TRACKWAY_SESSION"] ?? "";
  const whose = createHash("sha256").update([url, apiKey, session].join("\n")).digest("hex").slice(0, 32);
  const folderOf = () => join(places.config, "fences", whose);
  let known: Promise<Kept[]> | undefined;
  // The record is read once, before the command changes anything, so that an unreadable file cannot end the command after a
  // change.
  const recalled = () => {
    known ??= hasSettingsFolder(places) ? allIn(folderOf()) : Promise.resolve([]);
    return known;
  };
  return {
    remember: async (claim) => {
      const folder = folderOf();
      await forgetOld(folder).catch(() => {});
      // The server sends the identifier, so it must have the form of a plain file name.
      if (/^[A-Za-z0-9]{1,32}-\d{1,12}$/.test(claim.identifier))
        await writePrivate(join(folder, `${claim.identifier}.json`), `${JSON.stringify(claim)}\n`);
    },
    recall: async (issue) => ofIssueIn(await recalled(), issue)?.claim.fence,
    forget: async (issue) => {
      const found = ofIssueIn(await recalled(), issue);
      if (found) await rm(found.path, { force: true });
    },
  };
}

/** Finds the claim of an issue by identifier or id. */
function ofIssueIn(all: readonly Kept[], issue: string): Kept | undefined {
  const wanted = issue.toLowerCase();
  return all.find(({ claim }) => claim.identifier.toLowerCase() === wanted || claim.id.toLowerCase() === wanted);
}

async function allIn(folder: string): Promise<Kept[]> {
  const names = await readdir(folder).catch(() => []);
  const read = names.map(async (name) => {
    const path = join(folder, name);
    const claim = claimIn((await readFileIfExists(path)) ?? "");
    return claim ? [{ path, claim }] : [];
  });
  return (await Promise.all(read)).flat();
}

/** Parses a claim. Returns undefined for a file without a valid claim. */
function claimIn(text: string): Remembered | undefined {
  try {
    const { id, identifier, fence, until } = parseJsonFile(text) as Partial<Remembered>;
    if (typeof id !== "string" || typeof identifier !== "string" || typeof fence !== "number") return undefined;
    return { id, identifier, fence, until: String(until) };
  } catch {
    return undefined;
  }
}

async function forgetOld(folder: string): Promise<void> {
  const old = Date.now() - KEPT_MS;
  for (const { path, claim } of await allIn(folder))
    if (!(Date.parse(claim.until) > old)) await rm(path, { force: true });
}

/** Caller of a command: the access to the server, and the stored fences. */
export interface CommandContext {
  caller: Caller;
  fences: Fences;
  /** Recorded session of the caller, from TRACKWAY_SESSION. */
  session: string | null;
  /** Default team: from TRACKWAY_TEAM, otherwise from the folder's settings. */
  team: string | undefined;
  ask<T>(document: string, variables?: Record<string, unknown>): Promise<T>;
}

/** Determines the caller from the environment and the stored login. @throws Failure without a login or key */
export async function createCommandContext(): Promise<CommandContext> {
  const places = readPlaces();
  const caller = await requireLogin(places);
  return {
    caller,
    fences: fencesOf(places, caller),
    session: places.env["TRACKWAY_SESSION"]?.trim() || null,
    team: places.env["TRACKWAY_TEAM"]?.trim() || (await readFolderSettings(findWorkingFolder(), caller.url)).team,
    ask: (document, variables) => graphql(caller, document, variables),
  };
}

/** Adds the identifier of the issue to a "not found" error, because the server's error does not contain it. */
export async function explainMissingIssue<T>(issue: string, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    if (!(error instanceof Failure) || error.exit !== EXIT.notFound || error.cure) throw error;
    throw new Failure(`There is no issue ${issue}.`, { exit: EXIT.notFound, cure: "trackway search WORDS" });
  });
}
