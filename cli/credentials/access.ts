import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseJsonFile } from "../../formats/json.ts";
import { deleteKey, exchangeRefreshToken, logOut } from "../api/control.ts";
import { normalizeServerUrl } from "../api/request.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { checkWritable, readFileIfExists, writePrivate } from "../files/whole-file.ts";
import { printToStderr } from "../output/print.ts";

/** A stored login. A login with `--token-stdin` has no refresh token and cannot create keys. */
export interface Login {
  url: string;
  /** urlKey of the organization. */
  organization: string;
  /** Personal key, for all commands except those that manage keys. */
  apiKey: string;
  /** Id of the key if this login created the key. Only then may the login delete the key. */
  apiKeyId?: string;
  refreshToken?: string;
}

/** Returns the path of the login, a file with mode 0600. */
const loginPath = ({ config }: Places): string => join(config, "login.json");

/** Reads the stored login, if there is one. */
export async function readLogin(places: Places): Promise<Login | undefined> {
  const text = await readFileIfExists(loginPath(places));
  if (text === undefined) return undefined;
  try {
    const login = parseJsonFile(text);
    if (isObject(login) && isText(login["url"]) && isText(login["apiKey"])) return login as unknown as Login;
  } catch {
    // A file without valid JSON is reported below, like a login with missing members.
  }
  throw new Failure(`${loginPath(places)} does not contain a login.`, { cure: "trackway login" });
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Stores a login in place of the previous login. */
export const writeLogin = (places: Places, login: Login): Promise<unknown> =>
  writePrivate(loginPath(places), `${JSON.stringify(login, null, 2)}\n`);

/**
 * Checks that a login can be stored, before the server creates anything.
 * @throws Failure if the file cannot be written
 */
export const checkLoginWritable = (places: Places): Promise<void> => checkWritable(loginPath(places));

/** Deletes the stored login. */
export const deleteLogin = (places: Places): Promise<void> => rm(loginPath(places), { force: true });

/** Address of a server that runs with default settings. */
export const DEFAULT_URL = "http://127.0.0.1:4000";

const FORMS = {
  TRACKWAY_API_KEY: [/^trk_api_[0-9a-f]{40}$/, "a personal key: trk_api_ and 40 hexadecimal digits"],
  TRACKWAY_INGEST_KEY: [/^sk_[0-9a-f]{64}$/, "an ingest key: sk_ and 64 hexadecimal digits"],
} as const;

/** Reads a key from the environment, if the variable is set. */
export function readKeyVariable(env: NodeJS.ProcessEnv, name: keyof typeof FORMS): string | undefined {
  const value = env[name];
  const trimmed = value?.trim();
  if (!value || !trimmed) return undefined;
  const key = validateKey(name, trimmed);
  if (trimmed !== value) printToStderr(`${name}: spaces and line breaks around the key are ignored.`);
  return key;
}

/** @throws Failure that describes the form of such a key, and never contains the value */
export function validateKey(name: keyof typeof FORMS, value: string): string {
  const [form, description] = FORMS[name];
  if (form.test(value)) return value;
  throw new Failure(`${name} must be ${description}.`, { exit: EXIT.usage, cure: "copy the complete key" });
}

/**
 * Returns the server and key for a command. The environment takes precedence over the stored login. The environment's
 * key is never sent to the login's server unless TRACKWAY_URL names that server, and the login's key is never sent to
 * the environment's server.
 */
export async function readAccess(places: Places): Promise<Partial<Login> & { url: string }> {
  const url = places.env["TRACKWAY_URL"] ? normalizeServerUrl(places.env["TRACKWAY_URL"]) : undefined;
  const apiKey = readKeyVariable(places.env, "TRACKWAY_API_KEY");
  if (apiKey) return { url: url ?? DEFAULT_URL, apiKey };
  const login = await readLogin(places);
  if (login && (!url || url === login.url)) return login;
  return { url: url ?? DEFAULT_URL };
}

/**
 * Returns the same for commands that require a personal key.
 * @throws Failure if there is no key
 */
export async function requireLogin(places: Places): Promise<Login> {
  const access = await readAccess(places);
  if (access.apiKey) return { organization: "", ...access, apiKey: access.apiKey };
  throw new Failure(`You are not logged in to ${access.url}.`, { exit: EXIT.noAccess, cure: "trackway login" });
}

/**
 * Returns an access token for the control plane, which accepts no personal key; undefined for a login that was created with
 * `--token-stdin`. A refresh token can be exchanged once, so the command stores the next refresh token first.
 * @throws Failure if the next token cannot be stored; the server has not exchanged the token then
 */
export async function obtainControlToken(places: Places, login: Partial<Login>): Promise<string | undefined> {
  if (!login.refreshToken) return undefined;
  await checkLoginWritable(places);
  const { accessToken, refreshToken } = await exchangeRefreshToken(String(login.url), login.refreshToken);
  login.refreshToken = refreshToken;
  await writeLogin(places, login as Login).catch((error: Error) =>
    printToStderr(`warning: ${error.message} Log in again before the next command that changes keys.`),
  );
  return accessToken;
}

/**
 * Revokes a login and its key on the server. Does nothing for a login that was created with `--token-stdin`. The stored
 * login stays unchanged; the caller removes or replaces the stored login.
 */
export async function revokeLogin(login: Login): Promise<void> {
  if (!login.refreshToken) return;
  const { accessToken, refreshToken } = await exchangeRefreshToken(login.url, login.refreshToken);
  if (login.apiKeyId) await deleteKey(login.url, accessToken, "api-keys", login.apiKeyId);
  await logOut(login.url, refreshToken);
}
