import type { EventEmitter } from "node:events";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Socket as TcpSocket } from "node:net";
import type { Socket } from "socket.io";

type Connection = Socket["conn"];

/** A property that engine.io adds to a request that became a WebSocket, beyond its published types. */
type Upgraded = IncomingMessage & { websocket?: object };

/** When a connection whose token was not accepted by then is closed, in ms. */
const CLOSE_MS = 9_000;
/** When its WebSocket is cut, in ms: a client that does not answer the closing would keep it for half a minute. */
const CUT_MS = 10_000;

/**
 * Closes connections that present no good token in time: sessions of long polling, WebSockets, and WebSockets that
 * were to take a session over and never did. Attach it before sockets are accepted.
 * @returns what to call with each connection that was admitted.
 */
export function closeUnadmitted(engine: EventEmitter, server: HttpServer): (connection: Connection) => void {
  const connections = new WeakSet<Connection>();
  const webSockets = new WeakSet<object>();
  const note = ({ transport }: Connection) => {
    const { socket } = transport as unknown as { socket?: object };
    if (socket) webSockets.add(socket);
  };
  engine.on("connection", (connection: Connection) => {
    const close = () => {
      if (!connections.has(connection)) connection.close(true);
    };
    setTimeout(close, CLOSE_MS).unref();
  });
  server.on("upgrade", (request: Upgraded, socket: TcpSocket) => {
    const cut = () => {
      if (!request.websocket || !webSockets.has(request.websocket)) socket.destroy();
    };
    setTimeout(cut, CUT_MS).unref();
  });
  return (connection) => {
    connections.add(connection);
    note(connection);
    connection.on("upgrade", () => note(connection));
  };
}
