import { parseUrl } from "../api/request.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { type Login, readLogin } from "./store.ts";

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
