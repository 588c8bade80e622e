import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The longest that a request may take to arrive, in ms. */
interface Timeouts {
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

/**
 * Leaves the server's `upgrade` listeners only the requests that `wanted` says. Any other `Upgrade` header is ignored,
 * as HTTP/1.1 allows: Node takes the connection out of HTTP for each of them once one listener exists, so it is put
 * back, as a new connection that begins with the same request without that header. Body, keep-alive, pipelining and
 * every wait are then Node's own. Call it when the listeners are attached.
 */
export function limitUpgrades(server: Server, wanted: (request: IncomingMessage) => boolean): void {
  const listeners = server.listeners("upgrade");
  server.removeAllListeners("upgrade");
  server.on("upgrade", (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    // Node has stopped listening for errors: a connection that breaks off now would end the process.
    socket.off("error", ignore).on("error", ignore);
    afterAnswers(socket, () => {
      if (!socket.writable) return;
      if (wanted(request)) for (const listener of listeners) listener.call(server, request, socket, rest);
      else putBack(server, request, socket, rest);
    });
  });
}

const ignore = () => {};

/** Pipelined requests are answered in their order: what came before on the connection goes out first. */
function afterAnswers(socket: Socket, proceed: () => void): void {
  const answer = answerOf(socket);
  if (!answer || answer.closed) proceed();
  else answer.once("close", () => afterAnswers(socket, proceed));
}

/**
 * The answer that a connection is busy with. Node keeps it in this property, which it does not document, and puts the
 * next one there when it is out. A map of our own kept the last answer of each idle connection alive: a tenth of the
 * CPU time of ingestion went into moving them about at garbage collections.
 */
const answerOf = (socket: Socket) => Reflect.get(socket, "_httpMessage") as ServerResponse | null | undefined;

function putBack(server: Server, request: IncomingMessage, socket: Socket, rest: Buffer): void {
  // The time a connection may idle, set when an answer before this request was sent.
  socket.setTimeout(0);
  socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(request), "latin1"), rest]));
  server.emit("connection", socket);
}

/** Headers that only concern the upgrade; `Connection` lists them by these names. */
const OF_UPGRADE = new Set(["upgrade", "http2-settings"]);

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const kept = name.toLowerCase() === "connection" ? withoutUpgrade(value) : value;
    if (!OF_UPGRADE.has(name.toLowerCase())) lines.push(`${name}: ${kept}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

const withoutUpgrade = (connection: string) =>
  connection
    .split(",")
    .filter((option) => !OF_UPGRADE.has(option.trim().toLowerCase()))
    .join();
