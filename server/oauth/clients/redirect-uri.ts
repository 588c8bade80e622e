/** Schemes of programs that are known to sign in by one without a dot. */
const OF_PROGRAMS = new Set(
  [
    ...["claude", "code-oss", "cursor", "goose", "jetbrains", "kiro", "raycast", "trae"],
    ...["vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "windsurf-next", "zed"],
  ].map((name) => `${name}:`),
);
/**
 * A reversed domain, as RFC 8252 asks of a program. Systems open many things themselves by schemes of one word,
 * such as shells, installers and scripts.
 */
const OF_A_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+:$/;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/;
const MAX_LENGTH = 2_000;

/** The most that a client may name. */
export const MAX_REDIRECT_URIS = 20;

/**
 * Says why codes may not be sent to an address. Undefined when they may: https, a program's own scheme, or http to this
 * very computer.
 */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return "is no address";
  const { protocol, username, password, hostname } = new URL(uri);
  if (uri.includes("#")) return "holds a fragment";
  if (uri.includes("\\")) return "holds a backslash, which browsers read as a slash";
  if (username || password) return "holds a name or password";
  if (protocol === "http:" && !LOOPBACK.test(uri))
    return "is http, which only this computer may be reached by: use https";
  if (protocol === "https:" && (hostname === "" || !uri.startsWith("https://"))) return "is no address";
  if (["http:", "https:"].includes(protocol) || OF_PROGRAMS.has(protocol) || OF_A_DOMAIN.test(protocol))
    return undefined;
  return `has the scheme ${protocol} of no known program: use one with a dot, such as com.example.program:, https, or http to this computer`;
}

/**
 * True when a client that registered `registered` may be answered at `asked`: the same text, but for the port of this
 * computer, which a program takes as it finds one (RFC 8252).
 */
export const mayRedirect = (registered: readonly string[], asked: string): boolean =>
  redirectUriFault(asked) === undefined &&
  registered.some((one) => one === asked || (LOOPBACK.test(one) && withoutPort(one) === withoutPort(asked)));

const withoutPort = (uri: string): string => uri.replace(LOOPBACK, (_, host: string) => `http://${host}`);

/** The destination as a person knows it: the host, or the scheme of a program. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}

/** An address with answers added to what its query held. */
export function withAnswer(uri: string, answer: Record<string, string | undefined>): string {
  const query = Object.entries(answer).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${uri}${uri.includes("?") ? "&" : "?"}${query.join("&")}`;
}
