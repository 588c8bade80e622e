import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseJsonFile } from "../../formats/json.ts";
import { deleteKey, exchangeRefreshToken, logOut } from "../api/control.ts";
import { normalizeServerUrl } from "../api/request.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { UserEnvironment } from "../files/places.ts";
import { checkWritable, readFileIfExists, writePrivateFile } from "../files/whole-file.ts";
import { printToStderr } from "../output/print.ts";

/** A stored login. A login with `--token-stdin` has no refresh token and cannot create keys. */
export interface LoginCredentials {
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
const loginPath = ({ config }: UserEnvironment): string => join(config, "login.json");

/** Reads the stored login, if there is one. */
export async function readLogin(places: UserEnvironment): Promise<LoginCredentials | undefined> {
  const text = await readFileIfExists(loginPath(places));
  if (text === undefined) return undefined;
  try {
    const login = parseJsonFile(text);
    if (isObject(login) && isText(login["url"]) && isText(login["apiKey"])) return login as unknown as LoginCredentials;
  } catch {
    // A file that is not valid JSON is handled like a file without the required properties: the error below reports
    // both.
  }
  throw new CommandFailure(`${loginPath(places)} does not contain a login.`, { cure: "trackway login" });
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Stores a login in place of the previous login. */
export const writeLogin = (places: UserEnvironment, login: LoginCredentials): Promise<unknown> =>
  writePrivateFile(loginPath(places), `${JSON.stringify(login, null, 2)}\n`);

/**
 * Checks that a login can be stored, before the server creates anything.
 * @throws CommandFailure if the file cannot be written
 */
export const checkLoginWritable = (places: UserEnvironment): Promise<void> => checkWritable(loginPath(places));

/** Deletes the stored login. */
export const deleteLogin = (places: UserEnvironment): Promise<void> => rm(loginPath(places), { force: true });

/** Address of a server that runs with default settings. */
export const DEFAULT_URL = "http://127.0.0.1:4000";

const FORMS = {
  TRACKWAY_API_KEY: [/^trk_api_[0-9a-f]{40}$/, "a personal key: trk_api_ and 40 hexadecimal digits"],
  TRACKWAY_INGEST_KEY: [/^sk_[0-9a-f]{64}$/, "an ingest key: sk_ and 64 hexadecimal digits"],
} as const;

/** Reads a key from the environment, if the variable is set. */
export function readKeyFromEnvironment(env: NodeJS.ProcessEnv, name: keyof typeof FORMS): string | undefined {
  const value = env[name];
  const trimmed = value?.trim();
  if (!value || !trimmed) return undefined;
  const key = validateKey(name, trimmed);
  if (trimmed !== value) printToStderr(`${name}: spaces and line breaks around the key are ignored.`);
  return key;
}

/**
 * Returns the key if its form is correct. @throws CommandFailure that describes the correct form and never contains the given
 * value
 */
export function validateKey(name: keyof typeof FORMS, value: string): string {
  const [form, description] = FORMS[name];
  if (form.test(value)) return value;
  throw new CommandFailure(`${name} must be ${description}.`, {
    exit: EXIT_CODES.usage,
    cure: "copy the complete key",
  });
}

/**
 * Returns the server and the key for a command. Environment variables take precedence over the stored login. The key
 * from the environment goes to the stored login's server only if TRACKWAY_URL names that server. The stored key never
 * goes to another server than the login's.
 */
export async function resolveLoginCredentials(
  places: UserEnvironment,
): Promise<Partial<LoginCredentials> & { url: string }> {
  const url = places.env["TRACKWAY_URL"] ? normalizeServerUrl(places.env["TRACKWAY_URL"]) : undefined;
  const apiKey = readKeyFromEnvironment(places.env, "TRACKWAY_API_KEY");
  if (apiKey) return { url: url ?? DEFAULT_URL, apiKey };
  const login = await readLogin(places);
  if (login && (!url || url === login.url)) return login;
  return { url: url ?? DEFAULT_URL };
}

/**
 * Returns the server and the key, like `resolveLoginCredentials`, for commands that require a personal key.
 * @throws CommandFailure if there is no key
 */
export async function requireLogin(places: UserEnvironment): Promise<LoginCredentials> {
  const access = await resolveLoginCredentials(places);
  if (access.apiKey) return { organization: "", ...access, apiKey: access.apiKey };
  throw new CommandFailure(`You are not logged in to ${access.url}.`, {
    exit: EXIT_CODES.noAccess,
    cure: "trackway login",
  });
}

/**
 * Returns an access token for the control plane, which does not accept personal keys. Returns undefined for a login
 * that was created with `--token-stdin`. A refresh token can be exchanged only once, so this function stores the next
 * refresh token before it returns.
 * @throws CommandFailure if the login file cannot be written; in this case, the refresh token was not exchanged
 */
export async function obtainAccessToken(
  places: UserEnvironment,
  login: Partial<LoginCredentials>,
): Promise<string | undefined> {
  if (!login.refreshToken) return undefined;
  await checkLoginWritable(places);
  const { accessToken, refreshToken } = await exchangeRefreshToken(String(login.url), login.refreshToken);
  login.refreshToken = refreshToken;
  await writeLogin(places, login as LoginCredentials).catch((error: Error) =>
    printToStderr(`warning: ${error.message} Log in again before the next command that changes keys.`),
  );
  return accessToken;
}

/**
 * Revokes a login and its key on the server. Does nothing for a login that was created with `--token-stdin`. The stored
 * login stays unchanged; the caller removes or replaces the stored login.
 */
export async function revokeLogin(login: LoginCredentials): Promise<void> {
  if (!login.refreshToken) return;
  const { accessToken, refreshToken } = await exchangeRefreshToken(login.url, login.refreshToken);
  if (login.apiKeyId) await deleteKey(login.url, accessToken, "api-keys", login.apiKeyId);
  await logOut(login.url, refreshToken);
}
