import { deleteKey, logOut, refresh } from "../api/control.ts";
import type { Places } from "../files/places.ts";
import { type Login, writeLogin } from "./store.ts";

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
