import { signal } from "@preact/signals";
import { ApiError, callApi, type Endpoint, type Input, type Reply } from "./api.ts";

type Resumed = Reply<"POST /api/auth/session">;

/** The person who is signed in, and where. */
export interface Session {
  user: NonNullable<Resumed["user"]>;
  organization: NonNullable<Resumed["organization"]> | null;
}

interface Token {
  value: string;
  /** When it ends, in ms of this page's clock. */
  until: number;
}

/** The session; undefined until the server was asked, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Why somebody is signed out who was not a moment ago. */
export const farewell = signal("");
/** The rule of who may sign up here. */
export const signUpMode = signal<Resumed["signUp"]>("invite");
/** True where the server mails links for a new password. */
export const mailsLinks = signal(false);

let token: Token | undefined;
let renewing: Promise<void> | undefined;
/** Long enough for a request to be sent and looked at. */
const MARGIN_MS = 30_000;

/** Tabs share the cookie: what one of them gets, the others use. */
const tabs = new BroadcastChannel("trackway-session");
tabs.onmessage = ({ data }) => {
  if (data.ended) forget(data.words);
  else if (data.token && data.session) accept(data.session, data.token);
};

/** Goes on with the login that the cookie holds, if any. One tab does at a time, where the browser has locks. */
export function resume(): Promise<void> {
  renewing ??= alone(askServer).finally(() => {
    renewing = undefined;
  });
  return renewing;
}

const alone = (work: () => Promise<void>): Promise<void> =>
  navigator.locks ? navigator.locks.request("trackway-session", work) : work();

async function askServer(): Promise<void> {
  // Another tab may have renewed it while this one waited.
  if (isFresh(token)) return;
  const resumed = await callApi("POST /api/auth/session", { body: {} });
  signUpMode.value = resumed.signUp;
  mailsLinks.value = resumed.mails;
  if (resumed.signedIn) keep(resumed as Session & Granted);
  // A request and the socket may both find that the login has ended: the second keeps the words of the first.
  else forget(session.peek() ? "Your session has ended; sign in again." : farewell.peek());
}

type Granted = Reply<"POST /api/auth/refresh">;

function keep({ user, organization, accessToken, expiresIn }: Session & Granted): void {
  const fresh = { value: accessToken, until: Date.now() + expiresIn * 1_000 };
  accept({ user, organization }, fresh);
  tabs.postMessage({ session: { user, organization }, token: fresh });
}

function accept(next: Session, fresh: Token): void {
  token = fresh;
  const left = next.organization === null && session.peek()?.organization;
  farewell.value = left ? `You are no longer a member of ${left.name}.` : "";
  if (JSON.stringify(session.peek()) !== JSON.stringify(next)) session.value = next;
}

function forget(words: string): void {
  token = undefined;
  farewell.value = words;
  session.value = null;
}

const isFresh = (one: Token | undefined): boolean => one !== undefined && one.until - Date.now() > MARGIN_MS;

/** A token that is good for the next request. @throws ApiError when nobody is signed in any more */
export async function accessToken(): Promise<string> {
  if (!isFresh(token)) await resume();
  if (token) return token.value;
  throw new ApiError("Sign in first.", { status: 401, code: "unauthorized" });
}

/** Gives a token up that the server refused: the next one is asked for. */
export function refused(value: string): void {
  if (token?.value === value) token = undefined;
}

/** Calls an endpoint as whoever is signed in. */
export const api = async <E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Reply<E>> =>
  callApi(endpoint, input, await accessToken());

/** Signs in by what an endpoint of /api/auth takes: a password, a code, an invitation. */
export async function enter<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Reply<E>> {
  const reply = await callApi(endpoint, input);
  await enterAgain();
  return reply;
}

/** Makes an organization and enters it, or enters another one. */
export async function enterOrganization<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<void> {
  await api(endpoint, input);
  await enterAgain();
}

/** The endpoints set the cookie; whose login it is, and where it acts, is asked in one place. */
async function enterAgain(): Promise<void> {
  token = undefined;
  await resume();
}

/** Ends the login, in every tab. */
export async function signOut(): Promise<void> {
  await callApi("POST /api/auth/logout", { body: {} }).catch(() => {});
  tabs.postMessage({ ended: true, words: "" });
  forget("");
}

/** Tells that the server ended the login. */
export async function ended(): Promise<void> {
  token = undefined;
  await resume();
}
