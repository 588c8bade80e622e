import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Longer than the idle time of usual proxies and clients, so that they close first: a request sent meanwhile would be lost. */
const KEEP_ALIVE_MS = 65_000;

/** The longest times for which a connection may keep the server waiting, in ms. */
export interface Waits {
  /** Until the headers of a request are there. */
  headers: number;
  /** Until the body of a request with a key that Trackway accepts is there. */
  request: number;
  /** The interval of the checks of both: with Node's own 30 s a slow request would live up to that much longer. */
  check: number;
  /** Until a body that is not there yet has its key checked. */
  key: number;
}

/** Whoever shows no key is cut within 10 s. */
const WAITS: Waits = { headers: 9_000, request: 60_000, check: 500, key: 8_000 };

/** The HTTP server of MCP, and what it knows of its connections. */
export interface Connections {
  server: Server;
  /** Ends the connection with this response, unless the connection has shown a key before. */
  beginResponse(request: IncomingMessage, response: ServerResponse): void;
  /** Keeps the connection alive from now on: it has shown a key. */
  noteKey(request: IncomingMessage, response: ServerResponse): void;
  hasShownKey(request: IncomingMessage): boolean;
  /**
   * Reads a body. `refusal` is asked about the key of one that is not there in time.
   * @throws the refusal
   */
  readInTime<T>(body: Promise<T>, refusal: () => Promise<Error | undefined>): Promise<T>;
}

/** Creates the HTTP server. Connections without a key end with their first response, and those that say nothing are cut. */
export function createConnections(listener: RequestListener, waits = WAITS): Connections {
  const shown = new WeakSet<Socket>();
  const wished = new WeakMap<ServerResponse, boolean>();
  const options = {
    headersTimeout: waits.headers,
    requestTimeout: waits.request,
    connectionsCheckingInterval: waits.check,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  return {
    server: createServer(options, listener),
    hasShownKey: ({ socket }) => shown.has(socket),
    beginResponse({ socket }, response) {
      wished.set(response, response.shouldKeepAlive);
      if (!shown.has(socket)) response.shouldKeepAlive = false;
    },
    noteKey({ socket }, response) {
      shown.add(socket);
      response.shouldKeepAlive = wished.get(response) ?? false;
    },
    async readInTime(body, refusal) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => void refusal().then((error) => error && reject(error), reject), waits.key);
      });
      // The body goes on arriving, or fails, after the refusal.
      body.catch(() => {});
      return Promise.race([body, late]).finally(() => clearTimeout(timer));
    },
  };
}
