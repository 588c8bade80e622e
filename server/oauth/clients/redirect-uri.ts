/** Schemes that browsers run or read themselves: no program of the person's waits behind them. */
const NOT_A_PROGRAM = /^(javascript|data|vbscript|file|blob|about|view-source|filesystem|ws|wss|ftp|mailto|tel):/i;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/;
const MAX_LENGTH = 2_000;

/** The most that a client may name. */
export const MAX_REDIRECT_URIS = 20;

/**
 * What is wrong with an address that a client wants its codes sent to; undefined when it may be used: https, a program's
 * own scheme, or http to this very computer.
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
  if (NOT_A_PROGRAM.test(uri)) return `has the scheme ${protocol} which no program answers to`;
  return undefined;
}

/**
 * Whether a client that named `registered` may be answered at `asked`: the same text, but for the port of this computer,
 * which a program takes as it finds one (RFC 8252).
 */
export const mayRedirect = (registered: readonly string[], asked: string): boolean =>
  redirectUriFault(asked) === undefined &&
  registered.some((one) => one === asked || (LOOPBACK.test(one) && withoutPort(one) === withoutPort(asked)));

const withoutPort = (uri: string): string => uri.replace(LOOPBACK, (_, host: string) => `http://${host}`);

/** Where a person will find themselves: the host, or the scheme of a program. */
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
