/**
 * Listen addresses that mean every interface, as URLs write the addresses, with the loopback address that clients can
 * connect to. Clients cannot connect to the listen addresses on every platform.
 */
const EVERY_INTERFACE: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
  ["[::ffff:0:0]", "127.0.0.1"],
]);

/** Returns true if a server that listens on this host serves every interface. */
export const isEveryInterface = (host: string): boolean => {
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
