import { deleteKey, logOut } from "../api/control.ts";
import type { Places } from "../files/places.ts";
import { controlToken } from "./control-token.ts";
import type { Login } from "./store.ts";

/** Ends a login on its server, and the key that it made. One that was made by token has nothing there to end. */
export async function endLogin(places: Places, login: Login): Promise<void> {
  const token = await controlToken(places, login);
  if (!token) return;
  if (login.apiKeyId) await deleteKey(login.url, token, "api-keys", login.apiKeyId);
  await logOut(login.url, String(login.refreshToken));
}
