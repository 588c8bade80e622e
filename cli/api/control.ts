import { hostname } from "node:os";
import type { MemberTypes } from "./answer.ts";
import { sendRequest } from "./request.ts";

/** Tokens in the response to a login. */
export interface LoginTokens {
  accessToken: string;
  refreshToken: string;
}

/** A created key. The server shows the key only in this response. */
export interface CreatedKey {
  id: string;
  key: string;
}

const TOKENS: MemberTypes = { accessToken: "string", refreshToken: "string" };

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Begins a login with a password. */
export const requestLoginTokens = (
  url: string,
  body: { email: string; password: string; organization?: string },
): Promise<LoginTokens> => sendRequest(url, "/api/auth/login", { method: "POST", body, shape: TOKENS });

/** Exchanges a refresh token for a new pair of tokens. The old refresh token becomes invalid. */
export const exchangeRefreshToken = (url: string, refreshToken: string): Promise<LoginTokens> =>
  sendRequest(url, "/api/auth/refresh", { method: "POST", body: { refreshToken }, shape: TOKENS });

/** Revokes a login. */
export const logOut = (url: string, refreshToken: string): Promise<unknown> =>
  sendRequest(url, "/api/auth/logout", { method: "POST", body: { refreshToken } });

/** Creates a personal key. The label contains the purpose and the name of this machine. */
export async function createPersonalKey(url: string, token: string, purpose: string): Promise<CreatedKey> {
  const body = { label: `${purpose} on ${hostname()}` };
  const made = await sendRequest<{ id: string; token: string }>(url, "/api/api-keys", {
    method: "POST",
    body,
    headers: bearer(token),
    shape: { id: "string", token: "string" },
  });
  return { id: made.id, key: made.token };
}

/** Creates an ingest key. Only owners may create ingest keys. */
export const createIngestKey = (url: string, token: string, purpose: string): Promise<CreatedKey> =>
  sendRequest(url, "/api/ingest-keys", {
    method: "POST",
    body: { name: `${purpose} on ${hostname()}` },
    headers: bearer(token),
    shape: { id: "string", key: "string" },
  });

/** Deletes a personal key or an ingest key. */
export const deleteKey = (url: string, token: string, kind: "api-keys" | "ingest-keys", id: string): Promise<unknown> =>
  sendRequest(url, `/api/${kind}/${id}`, { method: "DELETE", headers: bearer(token) });
