import { type Caller, graphql } from "../api/graphql.ts";
import { loginOf } from "../credentials/access.ts";
import { EXIT, Failure } from "../failure.ts";
import { placesOf } from "../files/places.ts";
import { folderSettings } from "../files/settings.ts";
import { type Fences, fencesOf } from "./fences.ts";

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
