import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Caller, graphql } from "../api/graphql.ts";
import { loginOf } from "../credentials/access.ts";
import { EXIT, Failure } from "../failure.ts";
import { type Places, placesOf } from "../files/places.ts";
import { folderSettings } from "../files/settings.ts";
import { readIfThere, writePrivate } from "../files/whole-file.ts";

/** The record of a claim. */
interface Remembered {
  id: string;
  identifier: string;
  fence: number;
  /** The last known end of the lease. */
  until: string;
}

/** Forgotten so long after its lease would have ended. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * The fences of claims made on this machine, a file each, so that agents working side by side never write the same one. They are
 * apart by server, key and TRACKWAY_SESSION: two agents that share a key and a home folder give themselves a session each,
 * and neither finds the fence of the other.
 */
interface Fences {
  remember(claim: Remembered): Promise<void>;
  recall(issue: string): Promise<number | undefined>;
  forget(issue: string): Promise<void>;
}

/** Opens them for a caller. */
function fencesOf(places: Places, { url, apiKey }: Caller): Fences {
  const session = places.env["TRACKWAY_SESSION"] ?? "";
  const whose = createHash("sha256").update([url, apiKey, session].join("\n")).digest("hex").slice(0, 32);
  const folder = join(places.config, "fences", whose);
  return {
    remember: async (claim) => {
      await forgetOld(folder);
      // The name comes from the server, and is to be one of a file in this folder.
      if (/^[A-Za-z0-9]{1,32}-\d{1,12}$/.test(claim.identifier))
        await writePrivate(join(folder, `${claim.identifier}.json`), `${JSON.stringify(claim)}\n`);
    },
    recall: async (issue) => (await find(folder, issue))?.claim.fence,
    forget: async (issue) => {
      const found = await find(folder, issue);
      if (found) await rm(found.path, { force: true });
    },
  };
}

/** The claim of an issue that is named by identifier or id. */
async function find(folder: string, issue: string) {
  const wanted = issue.toLowerCase();
  const all = await allIn(folder);
  return all.find(({ claim }) => claim.identifier.toLowerCase() === wanted || claim.id.toLowerCase() === wanted);
}

async function allIn(folder: string): Promise<{ path: string; claim: Remembered }[]> {
  const names = await readdir(folder).catch(() => []);
  const read = names.map(async (name) => {
    const path = join(folder, name);
    const claim = claimIn((await readIfThere(path)) ?? "");
    return claim ? [{ path, claim }] : [];
  });
  return (await Promise.all(read)).flat();
}

/** A file that holds no claim is as good as none. */
function claimIn(text: string): Remembered | undefined {
  try {
    const { id, identifier, fence, until } = JSON.parse(text) as Partial<Remembered>;
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

/** The caller of a command: what they ask the server with, and what they remember. */
export interface Worker {
  caller: Caller;
  fences: Fences;
  /** The session that they work in, by TRACKWAY_SESSION. */
  session: string | null;
  /** The team to work in unless one is named: of TRACKWAY_TEAM, else of the folder's settings. */
  team: string | undefined;
  ask<T>(document: string, variables?: Record<string, unknown>): Promise<T>;
}

/** Finds out by environment and login. @throws Failure where nobody is logged in. */
export async function worker(): Promise<Worker> {
  const places = placesOf();
  const caller = await loginOf(places);
  return {
    caller,
    fences: fencesOf(places, caller),
    session: places.env["TRACKWAY_SESSION"]?.trim() || null,
    team: places.env["TRACKWAY_TEAM"]?.trim() || (await folderSettings(process.cwd(), caller.url)).team,
    ask: (document, variables) => graphql(caller, document, variables),
  };
}

/** Says which issue there is not: the server tells only that something is not there. */
export async function ofIssue<T>(issue: string, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    if (!(error instanceof Failure) || error.exit !== EXIT.notFound || error.cure) throw error;
    throw new Failure(`There is no issue ${issue}.`, { exit: EXIT.notFound, cure: "trackway search WORDS" });
  });
}
