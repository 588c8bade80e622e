import { hostname } from "node:os";
import { ask } from "./request.ts";

/** The answer of a login. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
}

/** A key that was made, shown this once. */
export interface MadeKey {
  id: string;
  key: string;
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Begins a login with a password. */
export const logIn = (url: string, body: { email: string; password: string; organization?: string }): Promise<Tokens> =>
  ask(url, "/api/auth/login", { method: "POST", body });

/** Trades a refresh token for a new pair; the old one counts no more. */
export const refresh = (url: string, refreshToken: string): Promise<Tokens> =>
  ask(url, "/api/auth/refresh", { method: "POST", body: { refreshToken } });

/** Ends a login. */
export const logOut = (url: string, refreshToken: string): Promise<unknown> =>
  ask(url, "/api/auth/logout", { method: "POST", body: { refreshToken } });

/** Makes a personal key, named after what it is for and the machine. */
export async function makePersonalKey(url: string, token: string, purpose: string): Promise<MadeKey> {
  const body = { label: `${purpose} on ${hostname()}` };
  const made = await ask<{ id: string; token: string }>(url, "/api/api-keys", {
    method: "POST",
    body,
    headers: bearer(token),
  });
  return { id: made.id, key: made.token };
}

/** Makes an ingest key; owners alone may. */
export const makeIngestKey = (url: string, token: string, purpose: string): Promise<MadeKey> =>
  ask(url, "/api/ingest-keys", {
    method: "POST",
    body: { name: `${purpose} on ${hostname()}` },
    headers: bearer(token),
  });

/** Deletes a key of either kind. */
export const deleteKey = (url: string, token: string, kind: "api-keys" | "ingest-keys", id: string): Promise<unknown> =>
  ask(url, `/api/${kind}/${id}`, { method: "DELETE", headers: bearer(token) });
