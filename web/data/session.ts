import { signal } from "@preact/signals";
import { ApiError, callApi, type Endpoint, type EndpointInput, type EndpointReply } from "./api.ts";

type Resumed = EndpointReply<"POST /api/auth/session">;

/** Signed-in user and organization. */
export interface Login {
  user: NonNullable<Resumed["user"]>;
  organization: NonNullable<Resumed["organization"]> | null;
}

interface Token {
  value: string;
  /** Expiry in milliseconds, by the clock of this browser. */
  until: number;
}

/** Current login; undefined until the server has responded, null if nobody is signed in. */
export const currentLogin = signal<Login | null | undefined>(undefined);
/** Reason for the sign-out, shown on the sign-in page. */
export const signOutReason = signal("");
/** Setting that decides who may sign up on this server. */
export const signUpMode = signal<Resumed["signUp"]>("invite");
/** True if the server sends links for a new password by email. */
export const canEmailPasswordLinks = signal(false);

let token: Token | undefined;
let renewing: Promise<void> | undefined;
/**
 * A token with less remaining lifetime, in ms, is renewed, so that the token does not expire before the server checks
 * the request.
 */
const MARGIN_MS = 30_000;

/** Tabs share the cookie. A tab sends each new token to the other tabs. */
const tabs = new BroadcastChannel("trackway-session");
tabs.onmessage = ({ data }) => {
  if (data.ended) clearLogin(data.words);
  else if (data.token && data.session) accept(data.session, data.token);
};

/**
 * Resumes the login of the cookie, if the cookie exists. If the browser supports the Web Locks API, only one tab
 * resumes at a time.
 */
function resume(): Promise<void> {
  renewing ??= alone(askServer).finally(() => {
    renewing = undefined;
  });
  return renewing;
}

const alone = (work: () => Promise<void>): Promise<void> =>
  navigator.locks ? navigator.locks.request("trackway-session", work) : work();

async function askServer(): Promise<void> {
  // Another tab may have renewed the token while this tab waited for the lock.
  if (isFresh(token)) return;
  const resumed = await callApi("POST /api/auth/session", { body: {} });
  signUpMode.value = resumed.signUp;
  canEmailPasswordLinks.value = resumed.mails;
  if (resumed.signedIn) keep(resumed as Login & Granted);
  // A request and the socket may both find that the login has ended. The second call keeps the message of the first.
  else clearLogin(currentLogin.peek() ? "You are signed out. Sign in again." : signOutReason.peek());
}

type Granted = EndpointReply<"POST /api/auth/refresh">;

function keep({ user, organization, accessToken, expiresIn }: Login & Granted): void {
  const fresh = { value: accessToken, until: Date.now() + expiresIn * 1_000 };
  accept({ user, organization }, fresh);
  tabs.postMessage({ session: { user, organization }, token: fresh });
}

function accept(next: Login, fresh: Token): void {
  token = fresh;
  const before = currentLogin.peek();
  if (next.organization || !before) signOutReason.value = "";
  // A request and the socket may both find that the user has left the organization. The second call keeps the message
  // of the first.
  else if (before.organization) signOutReason.value = `You are no longer a member of ${before.organization.name}.`;
  if (JSON.stringify(before) !== JSON.stringify(next)) currentLogin.value = next;
}

function clearLogin(words: string): void {
  token = undefined;
  signOutReason.value = words;
  currentLogin.value = null;
}

const isFresh = (one: Token | undefined): boolean => one !== undefined && one.until - Date.now() > MARGIN_MS;

/** Returns a token that is valid for the next request. @throws ApiError if nobody is signed in any more */
export async function getValidAccessToken(): Promise<string> {
  if (!isFresh(token)) await resume();
  if (token) return token.value;
  throw new ApiError("Sign in first.", { status: 401, code: "unauthorized" });
}

/** Discards a token that the server rejected, so that the next request gets a new token. */
export function discardAccessToken(value: string): void {
  if (token?.value === value) token = undefined;
}

export const callApiAsUser = async <E extends Endpoint>(
  endpoint: E,
  input: EndpointInput<E>,
): Promise<EndpointReply<E>> => callApi(endpoint, input, await getValidAccessToken());

/** Signs in through an endpoint of `/api/auth`: with a password, a code or an invitation. */
export async function signInWithEndpoint<E extends Endpoint>(
  endpoint: E,
  input: EndpointInput<E>,
): Promise<EndpointReply<E>> {
  const reply = await callApi(endpoint, input);
  await enterAgain();
  return reply;
}

/** Creates an organization and switches to it, or switches to another organization. */
export async function switchOrganization<E extends Endpoint>(endpoint: E, input: EndpointInput<E>): Promise<void> {
  await callApiAsUser(endpoint, input);
  await enterAgain();
}

/** Reads the user and the organization of the cookie that an endpoint has set. */
async function enterAgain(): Promise<void> {
  token = undefined;
  await resume();
}

/** Signs out in all tabs. */
export async function signOut(): Promise<void> {
  await callApi("POST /api/auth/logout", { body: {} }).catch(() => {});
  tabs.postMessage({ ended: true, words: "" });
  clearLogin("");
}

/** Resumes the login. Retries every second until the server responds. */
export const resumeLogin = (): Promise<void> =>
  resume().catch(() => new Promise((again) => setTimeout(() => again(resumeLogin()), 1_000)));

/** Reads the login again after the server has rejected the token of the socket. */
export async function recheckLogin(): Promise<void> {
  token = undefined;
  await resumeLogin();
}
