import { createServer, type RequestListener, type Server } from "node:http";

/** The longest that a request may take to arrive, in ms. */
export interface Timeouts {
  headers: number;
  /** Headers and body; its connection is cut after it (408). */
  request: number;
  /** The interval of the checks: with Node's own 30 s a slow request would live up to 44 s. */
  check: number;
}

/** Everything slow is cut within 15 s. */
const TIMEOUTS: Timeouts = { headers: 10_000, request: 14_000, check: 500 };
/** Longer than the idle time of usual proxies, so that they close first and lose no request. */
const KEEP_ALIVE_MS = 65_000;
/** The interval at which idle connections are closed while the server drains. */
const SWEEP_MS = 50;

/** The HTTP server that all endpoints share, with every wait bounded. */
export const createHttpServer = (listener: RequestListener, timeouts = TIMEOUTS): Server =>
  createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16 * 1024,
    },
    listener,
  );

/** Has each connection end with its next answer: a proxy or a client that keeps connections opens the next one elsewhere. */
export function endKeptConnections(server: Server): void {
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false;
  });
}

/** Takes no new connections, lets requests in flight finish for `graceMs` at most, then cuts the rest. */
export async function drain(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection whose request ends during the drain would otherwise be kept alive for another.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
