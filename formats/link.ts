/**
 * Listen addresses that mean every interface, in the form that URLs use. Each listen address has the loopback address
 * that clients can connect to, because on some platforms clients cannot connect to the listen address.
 */
const EVERY_INTERFACE: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
  ["[::ffff:0:0]", "127.0.0.1"],
]);

/** Returns true if a server that listens on this host serves every interface. */
export const isWildcardHost = (host: string): boolean => {
  const url = urlOf(host, 80);
  return url !== undefined && EVERY_INTERFACE.has(url.hostname);
};

/**
 * Returns the URL of a server that listens on the host and port, without a trailing slash. A server on every interface
 * does not know its public name, so the URL names the loopback address of this computer.
 */
export function buildServerUrl(host: string, port: number): string {
  const hostname = urlOf(host, port)?.hostname ?? host;
  return `http://${EVERY_INTERFACE.get(hostname) ?? bracketed(host)}:${port}`;
}

/** Adds brackets around an IPv6 address, because a port follows the host in a URL. */
const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

function urlOf(host: string, port: number): URL | undefined {
  const text = `http://${bracketed(host)}:${port}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}
