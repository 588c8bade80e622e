import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Milliseconds after which the server closes an idle connection. The time is longer than the idle time of common
 * proxies and clients, so that clients close the connection first. A request sent while this server closes the
 * connection would be lost.
 */
const KEEP_ALIVE_MS = 65_000;

/** Time limits of a connection, in ms. */
export interface ConnectionTimeouts {
  /** Time until the headers of a request must have arrived. */
  headers: number;
  /** Time until the body of a request with an accepted key must have arrived. */
  request: number;
  /**
   * Interval at which the server checks the limits `headers` and `request`. With the default of Node.js, 30 s, a slow
   * request could last 30 s longer.
   */
  check: number;
  /** Time until the key of a connection is checked. */
  key: number;
}

/** With these limits, a connection without a key ends within 10 s. */
const WAITS: ConnectionTimeouts = { headers: 9_000, request: 60_000, check: 500, key: 8_000 };

/** Checks a key. Returns the error for a refused key, and undefined for an accepted key. */
type Refusal = () => Promise<Error | undefined>;

/** HTTP server of MCP that closes connections without a key. */
export interface GuardedHttpServer {
  server: Server;
  /**
   * Makes the server close the connection after this response, unless a key of the connection was already checked and
   * accepted. `readWithKey` reverses this for a request with a key.
   */
  beginResponse(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Reads the body, and keeps the connection open because its request presents a key. The key is checked once per
   * connection, while the connection is idle or while the body arrives. A refused key closes the connection.
   * @throws the error for the refused key if the body has not arrived before the refusal
   */
  readWithKey<T>(exchange: Exchange, body: Promise<T>, refusal: Refusal): Promise<T>;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Connection with a key that is not checked yet. */
interface Unchecked {
  response: ServerResponse;
  refusal: Refusal;
  rejectBody(error: Error): void;
}

/**
 * Creates the HTTP server. The server closes a connection without a key after the first response, and a silent
 * connection after the time limit.
 */
export function createGuardedHttpServer(listener: RequestListener, waits = WAITS): GuardedHttpServer {
  const shown = new WeakSet<Socket>();
  const unchecked = new WeakMap<Socket, Unchecked>();
  const wished = new WeakMap<ServerResponse, boolean>();
  const options = {
    headersTimeout: waits.headers,
    requestTimeout: waits.request,
    connectionsCheckingInterval: waits.check,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const check = async (socket: Socket) => {
    const refused = await unchecked.get(socket)?.refusal();
    const { response, rejectBody } = unchecked.get(socket) ?? {};
    if (!refused || !response || !rejectBody) return void shown.add(socket);
    rejectBody(refused);
    if (response.closed) socket.destroy();
    else response.once("close", () => socket.destroy());
  };
  const keep = (socket: Socket, presented: Unchecked) => {
    const isFirst = !unchecked.has(socket);
    unchecked.set(socket, presented);
    if (!isFirst) return;
    const timer = setTimeout(() => void check(socket).catch(() => socket.destroy()), waits.key);
    socket.once("close", () => clearTimeout(timer));
  };
  return {
    server: createServer(options, listener),
    beginResponse({ socket }, response) {
      wished.set(response, response.shouldKeepAlive);
      if (!shown.has(socket)) response.shouldKeepAlive = false;
    },
    readWithKey({ request: { socket }, response }, body, refusal) {
      if (shown.has(socket)) return body;
      response.shouldKeepAlive = wished.get(response) ?? false;
      return new Promise((resolve, reject) => {
        keep(socket, { response, refusal, rejectBody: reject });
        body.then(resolve, reject);
      });
    },
  };
}
