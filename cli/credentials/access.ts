import { rm } from "node:fs/promises";
import { join } from "node:path";
import { deleteKey, logOut, refresh } from "../api/control.ts";
import { parseUrl } from "../api/request.ts";
import { EXIT, Failure } from "../failure.ts";
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

/** The address of a server started without settings. */
export const DEFAULT_URL = "http://127.0.0.1:4000";

const FORMS = {
  TRACKWAY_API_KEY: [/^trk_api_[0-9a-f]{40}$/, "a personal key: trk_api_ and 40 hexadecimal digits"],
  TRACKWAY_INGEST_KEY: [/^sk_[0-9a-f]{64}$/, "an ingest key: sk_ and 64 hexadecimal digits"],
} as const;

/** A key out of the environment, if it is set. */
export function keyFrom(env: NodeJS.ProcessEnv, name: keyof typeof FORMS): string | undefined {
  const value = env[name]?.trim();
  return value ? checkedKey(name, value) : undefined;
}

/** @throws Failure that says which form such a key has, and never repeats the given one. */
export function checkedKey(name: keyof typeof FORMS, value: string): string {
  const [form, description] = FORMS[name];
  if (form.test(value)) return value;
  throw new Failure(`${name} must be ${description}.`, { exit: EXIT.usage, cure: "copy the key whole" });
}

/**
 * The server and key of a command: the environment goes before the stored login. The environment's key never goes to
 * the login's server unless TRACKWAY_URL names it, nor the login's key to the environment's server.
 */
export async function accessOf(places: Places): Promise<Partial<Login> & { url: string }> {
  const url = places.env["TRACKWAY_URL"] ? parseUrl(places.env["TRACKWAY_URL"]) : undefined;
  const apiKey = keyFrom(places.env, "TRACKWAY_API_KEY");
  if (apiKey) return { url: url ?? DEFAULT_URL, apiKey };
  const login = await readLogin(places);
  if (login && (!url || url === login.url)) return login;
  return { url: url ?? DEFAULT_URL };
}

/** The same for commands that are nothing without a personal key. */
export async function loginOf(places: Places): Promise<Login> {
  const access = await accessOf(places);
  if (access.apiKey) return { organization: "", ...access, apiKey: access.apiKey };
  throw new Failure(`Nobody is logged in to ${access.url}.`, { exit: EXIT.noAccess, cure: "trackway login" });
}

/**
 * An access token for the control plane, which takes no personal key; undefined for a login that was made by token. The
 * refresh token counts once, so its successor is kept before anything else is done.
 */
export async function controlToken(places: Places, login: Partial<Login>): Promise<string | undefined> {
  if (!login.refreshToken) return undefined;
  const { accessToken, refreshToken } = await refresh(String(login.url), login.refreshToken);
  login.refreshToken = refreshToken;
  await writeLogin(places, login as Login);
  return accessToken;
}

/** Ends a login on its server, and the key that it made. One that was made by token has nothing there to end. */
export async function endLogin(places: Places, login: Login): Promise<void> {
  const token = await controlToken(places, login);
  if (!token) return;
  if (login.apiKeyId) await deleteKey(login.url, token, "api-keys", login.apiKeyId);
  await logOut(login.url, String(login.refreshToken));
}
