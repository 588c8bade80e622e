import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

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
