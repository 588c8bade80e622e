import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { normalizeRequestTarget } from "../../formats/request-target.ts";

/** Maximum times for a request to arrive, in ms. */
interface Timeouts {
  headers: number;
  /** Maximum time for headers and body together. The server then closes the connection with 408. */
  request: number;
  /**
   * Interval at which Node checks connections against the other limits. With Node's default of 30 s, a slow request
   * could last up to 44 s.
   */
  check: number;
}

/** The server ends every slow request within 15 s. */
const TIMEOUTS: Timeouts = { headers: 10_000, request: 14_000, check: 500 };
/**
 * Time in ms for which an idle connection stays open. The time is longer than the idle time of common proxies, so that
 * proxies close connections first and lose no request.
 */
const KEEP_ALIVE_MS = 65_000;
/** Interval at which idle connections are closed during a drain, in ms. */
const SWEEP_MS = 50;

/** Creates the HTTP server for all endpoints, with a limit on every wait. */
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

/**
 * Closes each connection after its next response, so that proxies and clients with kept connections reconnect to
 * another server.
 */
export function disableKeepAlive(server: Server): void {
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false;
  });
}

/** Stops accepting connections, lets running requests finish for at most `graceMs`, then closes all connections. */
export async function drain(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection whose request ends during the drain would otherwise stay open for another request.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/**
 * Converts an absolute request target into a path and a Host header for every listener. Call after the listeners are
 * attached, because socket.io compares the target before any other listener runs.
 */
export function acceptAbsoluteTargets(server: Server): void {
  server.prependListener("request", normalizeRequestTarget);
}

/**
 * Passes only requests that satisfy `wanted` to the server's `upgrade` listeners. HTTP/1.1 allows servers to ignore
 * any other `Upgrade` header. Once an `upgrade` listener exists, Node detaches every such connection from HTTP. The
 * server therefore re-attaches the connection as a new connection that begins with the same request without the
 * header. Node then handles the body, keep-alive, pipelining and timeouts as usual. Call after the listeners are
 * attached.
 */
export function filterUpgradeRequests(server: Server, wanted: (request: IncomingMessage) => boolean): void {
  const listeners = server.listeners("upgrade");
  server.removeAllListeners("upgrade");
  server.on("upgrade", (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    // Node no longer listens for errors, so a connection that breaks now would end the process.
    socket.off("error", ignore).on("error", ignore);
    const { url } = request;
    afterAnswers(socket, () => {
      if (!socket.writable) return;
      normalizeRequestTarget(request);
      if (wanted(request)) for (const listener of listeners) listener.call(server, request, socket, rest);
      else putBack(server, Object.assign(request, { url }), socket, rest);
    });
  });
}

const ignore = () => {};

/** Pipelined requests get their responses in order: earlier responses on the connection are sent first. */
function afterAnswers(socket: Socket, proceed: () => void): void {
  const answer = answerOf(socket);
  if (!answer || answer.closed) proceed();
  else answer.once("close", () => afterAnswers(socket, proceed));
}

/**
 * Returns the response that a connection is busy with. Node stores the response in this undocumented property, and
 * replaces it with the next response after sending. A map here would keep the last response of each idle connection
 * alive: moving those responses during garbage collection took a tenth of the CPU time of ingestion.
 */
const answerOf = (socket: Socket) => Reflect.get(socket, "_httpMessage") as ServerResponse | null | undefined;

function putBack(server: Server, request: IncomingMessage, socket: Socket, rest: Buffer): void {
  // Clears the idle timeout that was set when an earlier response was sent.
  socket.setTimeout(0);
  socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(request), "latin1"), rest]));
  server.emit("connection", socket);
}

/** Headers that concern only the upgrade. `Connection` lists the same names. */
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
