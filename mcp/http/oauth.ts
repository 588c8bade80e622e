import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { parseJsonObjectBody, toStringOrUndefined } from "../api/answer.ts";
import type { Config } from "../config.ts";
import { HttpError } from "./response.ts";

/**
 * Path of the resource metadata, which names the authorization server. In a URL, the path of the resource follows this
 * path.
 */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";
/** Scopes that the metadata recommends to clients. */
const SCOPE = "read write";
const DEADLINE_MS = 5_000;

/** Metadata of Trackway as a protected resource. */
interface Metadata {
  authorization_servers: string[];
  [member: string]: unknown;
}

/** Metadata by the URL of the Trackway server; null if OAuth is off. */
const known = new LRUCache<string, { metadata: Metadata | null }>({ max: 10, ttl: 10_000 });

/** Requests the metadata from the Trackway server; undefined if OAuth is off or the server does not respond. */
async function fetchMetadata({ url }: Config): Promise<Metadata | undefined> {
  const remembered = known.get(url);
  if (remembered) return remembered.metadata ?? undefined;
  try {
    const response = await fetch(`${url}${RESOURCE_METADATA_PATH}/mcp`, {
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: "manual",
    });
    const members = response.ok ? await parseJsonObjectBody(response) : {};
    const servers = members["authorization_servers"];
    const isMetadata = Array.isArray(servers) && servers.every((each) => URL.canParse(String(each)));
    const metadata = isMetadata ? (members as Metadata) : null;
    known.set(url, { metadata });
    return metadata ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns this server's metadata. The metadata contains the address that the client used (the request's Host), because
 * clients reject metadata of any other address.
 * @throws HttpError 404 if OAuth is off
 */
export async function buildResourceMetadata(config: Config, request: IncomingMessage): Promise<Metadata> {
  const metadata = await fetchMetadata(config);
  if (!metadata) throw new HttpError(404, "OAuth is turned off on this server. Use POST /mcp with a personal API key.");
  return { ...metadata, resource: resourceOf(config, request, metadata) };
}

/**
 * Adds the address of the OAuth metadata to a 401 for a bearer token, so that the client learns where to get a token.
 * Returns other errors unchanged.
 */
export async function addChallenge(config: Config, request: IncomingMessage, error: unknown): Promise<unknown> {
  if (!(error instanceof HttpError) || error.status !== 401) return error;
  const challenge = error.headers["www-authenticate"];
  const metadata = challenge?.startsWith("Bearer") ? await fetchMetadata(config) : undefined;
  if (!challenge || !metadata) return error;
  const { origin, pathname } = new URL(resourceOf(config, request, metadata));
  const address = `${origin}${RESOURCE_METADATA_PATH}${pathname === "/" ? "" : pathname}`;
  const parts = [challenge.replace(/^Bearer ?/, ""), `resource_metadata="${address}"`, `scope="${SCOPE}"`];
  const headers = { ...error.headers, "www-authenticate": `Bearer ${parts.filter(Boolean).join(", ")}` };
  return new HttpError(error.status, error.message, headers, error.code);
}

/**
 * Tells whether the server responds with the OAuth challenge (401), because OAuth is on and the request has no
 * credentials.
 */
export const needsChallenge = async (config: Config, { headers }: IncomingMessage): Promise<boolean> =>
  !headers.authorization && (await fetchMetadata(config)) !== undefined;

function resourceOf({ publicUrls }: Config, { headers }: IncomingMessage, metadata: Metadata): string {
  const host = headers.host ?? "";
  const named = publicUrls.find((url) => new URL(url).host === host);
  if (named) return named;
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
  const { protocol } = new URL(metadata.authorization_servers[0] ?? "http://localhost");
  return `${local ? "http:" : protocol}//${host}/mcp`;
}

/** Tells whether a credential is an OAuth token, not a personal key. */
export const isOAuthToken = (key: string): boolean => /^trk_oauth_[0-9a-f]{64}$/.test(key);

/**
 * Requests the scopes of an OAuth token from the Trackway server. The result is not cached, so every request causes a
 * call. Returns undefined if the token is invalid.
 */
export async function readScopes({ url }: Config, token: string): Promise<string[] | undefined> {
  const response = await fetch(`${url}/oauth/introspect`, {
    method: "POST",
    body: new URLSearchParams({ token }),
    redirect: "manual",
    signal: AbortSignal.timeout(DEADLINE_MS),
  }).catch(() => undefined);
  if (!response || response.status >= 500) {
    throw new HttpError(503, "Trackway is not responding right now; try again shortly.", { "retry-after": "1" });
  }
  const { active, scope } = response.ok ? await parseJsonObjectBody(response) : {};
  return active === true ? (toStringOrUndefined(scope) ?? "").split(" ") : undefined;
}
