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
  /** Until the key of a connection is checked. */
  key: number;
}

/** Whoever shows no key is cut within 10 s. */
const WAITS: Waits = { headers: 9_000, request: 60_000, check: 500, key: 8_000 };

/** Reports why a key is refused; undefined for a good one. */
type Refusal = () => Promise<Error | undefined>;

/** The HTTP server of MCP, and its rule for connections. */
export interface Connections {
  server: Server;
  /** Ends the connection with this response, unless the connection has shown a key before. */
  beginResponse(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Keeps the connection of a request that presents a key, and reads its body. The key is checked once a connection, while
   * it rests or its body is awaited: a refused key ends it.
   * @throws the refusal of the key where the body is not there by then
   */
  readWithKey<T>(exchange: Exchange, body: Promise<T>, refusal: Refusal): Promise<T>;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** A connection that presented a key which is not checked yet. */
interface Unchecked {
  response: ServerResponse;
  refusal: Refusal;
  rejectBody(error: Error): void;
}

/** Creates the HTTP server. Connections without a key end with their first response, and those that say nothing are cut. */
export function createConnections(listener: RequestListener, waits = WAITS): Connections {
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
