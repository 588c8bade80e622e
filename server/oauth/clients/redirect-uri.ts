/** Schemes without a dot that known apps use for signing in. */
const OF_PROGRAMS = new Set(
  [
    ...["claude", "code-oss", "cursor", "goose", "jetbrains", "kiro", "raycast", "trae"],
    ...["vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "windsurf-next", "zed"],
  ].map((name) => `${name}:`),
);
/**
 * A reversed domain, as RFC 8252 requires for apps. Operating systems use one-word schemes for many purposes,
 * such as shells, installers and scripts.
 */
const OF_A_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+:$/;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/;
const MAX_LENGTH = 2_000;

/** Maximum number of redirect URIs per client. */
export const MAX_REDIRECT_URIS = 20;

/**
 * Returns the reason why codes must not be sent to a URI. Undefined for allowed URIs: https, an app's own scheme, or
 * http on loopback.
 */
export function findRedirectUriFault(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return "is not an address";
  const { protocol, username, password, hostname } = new URL(uri);
  if (uri.includes("#")) return "holds a fragment";
  if (uri.includes("\\")) return "holds a backslash, which browsers read as a slash";
  if (username || password) return "holds a name or password";
  if (protocol === "http:" && !LOOPBACK.test(uri))
    return "is http, which only this computer may be reached by: use https";
  if (protocol === "https:" && (hostname === "" || !uri.startsWith("https://"))) return "is not an address";
  if (["http:", "https:"].includes(protocol) || OF_PROGRAMS.has(protocol) || OF_A_DOMAIN.test(protocol))
    return undefined;
  return `has the scheme ${protocol} of no known program: use one with a dot, such as com.example.program:, https, or http to this computer`;
}

/**
 * Returns true if the requested URI equals a registered URI. For loopback URIs the port may differ, because an app
 * uses any free port (RFC 8252).
 */
export const isRegisteredRedirect = (registered: readonly string[], asked: string): boolean =>
  findRedirectUriFault(asked) === undefined &&
  registered.some((one) => one === asked || (LOOPBACK.test(one) && withoutPort(one) === withoutPort(asked)));

const withoutPort = (uri: string): string => uri.replace(LOOPBACK, (_, host: string) => `http://${host}`);

/** Returns the part of a redirect URI that users recognize: the host, or the scheme of an app. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}

/** Returns a URI with response parameters added to its query. */
export function withResponseParameters(uri: string, answer: Record<string, string | undefined>): string {
  const query = Object.entries(answer).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${uri}${uri.includes("?") ? "&" : "?"}${query.join("&")}`;
}
