import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonFile } from "../../formats/json.ts";
import { findWorkingFolder } from "../../system/places.ts";
import { type ApiCredentials, sendGraphqlRequest } from "../api/graphql.ts";
import { requireLogin } from "../credentials/access.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { hasSettingsFolder, readUserEnvironment, type UserEnvironment } from "../files/places.ts";
import { readFolderSettings } from "../files/settings.ts";
import { readFileIfExists, writePrivateFile } from "../files/whole-file.ts";

/** Stored record of a claim. */
interface Remembered {
  id: string;
  identifier: string;
  fence: number;
  /** Last known end of the lease. */
  until: string;
}

/** Stored record of a claim, and the path of the record's file. */
interface Kept {
  path: string;
  claim: Remembered;
}

/** Time in milliseconds for which the record of a claim is kept after the end of the claim's lease. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Stores the fences of the claims that commands on this machine made. Each fence is in a separate file, so that agents
 * that run at the same time never write the same file. The folder depends on the server, the key and TRACKWAY_SESSION.
 * Two agents with the same key and home folder set different sessions, so neither agent uses the fence of the other.
 */
interface Fences {
  remember(claim: Remembered): Promise<void>;
  recall(issue: string): Promise<number | undefined>;
  forget(issue: string): Promise<void>;
}

/** Returns functions that read and write the stored fences of a caller. */
function fencesOf(places: UserEnvironment, { url, apiKey }: ApiCredentials): Fences {
  const session = places.env["TRACKWAY_SESSION"] ?? "";
  const whose = createHash("sha256").update([url, apiKey, session].join("\n")).digest("hex").slice(0, 32);
  const folderOf = () => join(places.config, "fences", whose);
  let known: Promise<Kept[]> | undefined;
  // Reads the stored fences only once, before the command changes anything. An unreadable file therefore ends the
  // command before the change and never after it.
  const recalled = () => {
    known ??= hasSettingsFolder(places) ? allIn(folderOf()) : Promise.resolve([]);
    return known;
  };
  return {
    remember: async (claim) => {
      const folder = folderOf();
      await forgetOld(folder).catch(() => {});
      // The identifier becomes a file name and comes from the server, so only a plain identifier such as ENG-12 is
      // accepted.
      if (/^[A-Za-z0-9]{1,32}-\d{1,12}$/.test(claim.identifier))
        await writePrivateFile(join(folder, `${claim.identifier}.json`), `${JSON.stringify(claim)}\n`);
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

/**
 * Data and functions that a command needs: the access to the server, the stored fences, and the defaults for the
 * session and the team.
 */
export interface CommandContext {
  caller: ApiCredentials;
  fences: Fences;
  /** Recorded session of the caller, from TRACKWAY_SESSION. */
  session: string | null;
  /** Default team: from TRACKWAY_TEAM, otherwise from the folder's settings. */
  team: string | undefined;
  ask<T>(document: string, variables?: Record<string, unknown>): Promise<T>;
}

/** Determines the caller from the environment and the stored login. @throws CommandFailure without a login or key */
export async function createCommandContext(): Promise<CommandContext> {
  const places = readUserEnvironment();
  const caller = await requireLogin(places);
  return {
    caller,
    fences: fencesOf(places, caller),
    session: places.env["TRACKWAY_SESSION"]?.trim() || null,
    team: places.env["TRACKWAY_TEAM"]?.trim() || (await readFolderSettings(findWorkingFolder(), caller.url)).team,
    ask: (document, variables) => sendGraphqlRequest(caller, document, variables),
  };
}

/** Adds the identifier of the issue to a "not found" error, because the server's error does not contain it. */
export async function addIssueToNotFoundError<T>(issue: string, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    if (!(error instanceof CommandFailure) || error.exit !== EXIT_CODES.notFound || error.cure) throw error;
    throw new CommandFailure(`There is no issue ${issue}.`, {
      exit: EXIT_CODES.notFound,
      cure: "trackway search WORDS",
    });
  });
}
