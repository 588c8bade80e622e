import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readIfThere, writePrivate } from "../files/whole-file.ts";

/** A stored login. A login by token has no refresh token, and cannot make keys. */
export interface Login {
  url: string;
  /** urlKey of the organization. */
  organization: string;
  /** A personal key: what every command but those about keys works with. */
  apiKey: string;
  /** Its id, where this login made it and so may delete it. */
  apiKeyId?: string;
  refreshToken?: string;
}

/** The path of the login, a file for its owner alone. */
const loginPath = ({ config }: Places): string => join(config, "login.json");

/** The login that is kept, if any. */
export async function readLogin(places: Places): Promise<Login | undefined> {
  const text = await readIfThere(loginPath(places));
  if (text === undefined) return undefined;
  try {
    const login = JSON.parse(text) as Login;
    if (login.url && login.apiKey) return login;
  } catch {
    // Reported below: what is not JSON is as little a login as what lacks its parts.
  }
  throw new Failure(`${loginPath(places)} holds no login.`, { cure: "trackway login" });
}

/** Keeps a login in the place of the one before. */
export const writeLogin = (places: Places, login: Login): Promise<unknown> =>
  writePrivate(loginPath(places), `${JSON.stringify(login, null, 2)}\n`);

/** Forgets the login. */
export const forgetLogin = (places: Places): Promise<void> => rm(loginPath(places), { force: true });
