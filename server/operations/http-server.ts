import { createServer, type RequestListener, type Server } from "node:http";

/** A whole request, headers and body, arrives within this time, in ms, or its connection is cut (408). */
const REQUEST_MS = 14_000;
const HEADERS_MS = 10_000;
/** How often that is looked at: with Node's own 30 s a slow request would live up to 44 s. */
const CHECK_MS = 500;
/** Longer than the idle time of usual proxies, so that they close first and lose no request. */
const KEEP_ALIVE_MS = 65_000;
/** How often connections that have become idle are closed while the server drains. */
const SWEEP_MS = 50;

/** The HTTP server all doors share, with every wait bounded. */
export const createHttpServer = (listener: RequestListener): Server =>
  createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 16 * 1024,
    },
    listener,
  );

/** Takes no new connections, lets requests in flight finish for `graceMs` at most, then cuts what is left. */
export async function drain(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection whose request ends during the drain would otherwise be kept alive for another.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
