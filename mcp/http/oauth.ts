import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import { HttpError } from "./response.ts";

/** Below this path clients read whom to ask for a token; what follows is the path of the resource. */
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";
/** The scopes a client is advised to ask for. */
const SCOPE = "read write";
const DEADLINE_MS = 5_000;

/** Trackway's metadata as a protected resource. */
interface Metadata {
  authorization_servers: string[];
  [member: string]: unknown;
}

/** By Trackway's address; null where OAuth is off. */
const known = new LRUCache<string, { metadata: Metadata | null }>({ max: 10, ttl: 10_000 });

/** Trackway's own description, asked of it; undefined while OAuth is off there, or it does not answer. */
async function metadataOf({ url }: Config): Promise<Metadata | undefined> {
  const remembered = known.get(url);
  if (remembered) return remembered.metadata ?? undefined;
  try {
    const response = await fetch(`${url}${RESOURCE_METADATA}/mcp`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const metadata = response.ok ? ((await response.json()) as Metadata) : null;
    known.set(url, { metadata });
    return metadata ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * The description of this server for a client that came by the request's Host, which is one of those served: a client
 * takes a description only of the very address it was given.
 * @throws HttpError 404 while there is no OAuth.
 */
export async function resourceMetadata(config: Config, request: IncomingMessage): Promise<Metadata> {
  const metadata = await metadataOf(config);
  if (!metadata) throw new HttpError(404, "There is no OAuth here. MCP is at POST /mcp, with a personal API key.");
  return { ...metadata, resource: resourceOf(config, request, metadata) };
}

/** An error as it is sent: a 401 for a bearer names where to get a token. */
export async function withChallenge(config: Config, request: IncomingMessage, error: unknown): Promise<unknown> {
  if (!(error instanceof HttpError) || error.status !== 401) return error;
  const challenge = error.headers["www-authenticate"];
  const metadata = challenge?.startsWith("Bearer") ? await metadataOf(config) : undefined;
  if (!challenge || !metadata) return error;
  const { origin, pathname } = new URL(resourceOf(config, request, metadata));
  const address = `${origin}${RESOURCE_METADATA}${pathname === "/" ? "" : pathname}`;
  const parts = [challenge.replace(/^Bearer ?/, ""), `resource_metadata="${address}"`, `scope="${SCOPE}"`];
  const headers = { ...error.headers, "www-authenticate": `Bearer ${parts.filter(Boolean).join(", ")}` };
  return new HttpError(error.status, error.message, headers, error.code);
}

/** True if a client without any credential is to be asked for one before anything else. */
export const mustChallenge = async (config: Config, { headers }: IncomingMessage): Promise<boolean> =>
  !headers.authorization && (await metadataOf(config)) !== undefined;

function resourceOf({ publicUrls }: Config, { headers }: IncomingMessage, metadata: Metadata): string {
  const host = headers.host ?? "";
  const named = publicUrls.find((url) => new URL(url).host === host);
  if (named) return named;
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
  const { protocol } = new URL(metadata.authorization_servers[0] ?? "http://localhost");
  return `${local ? "http:" : protocol}//${host}/mcp`;
}

/** True if a credential is a token that OAuth gave a program, and no personal key. */
export const isOAuthToken = (key: string): boolean => /^trk_oauth_[0-9a-f]{64}$/.test(key);

/** The scopes of an OAuth token; undefined when Trackway refuses it. Asked for every request. */
export async function scopesOf({ url }: Config, token: string): Promise<string[] | undefined> {
  const response = await fetch(`${url}/oauth/introspect`, {
    method: "POST",
    body: new URLSearchParams({ token }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  }).catch(() => undefined);
  if (!response || response.status >= 500) {
    throw new HttpError(503, "Trackway does not answer right now; try again shortly.", { "retry-after": "1" });
  }
  const { active, scope = "" } = response.ok ? ((await response.json()) as { active: boolean; scope?: string }) : {};
  return active ? scope.split(" ") : undefined;
}
