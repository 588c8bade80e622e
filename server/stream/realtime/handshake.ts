import type { EventEmitter } from "node:events";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Socket as TcpSocket } from "node:net";
import type { Socket } from "socket.io";
import { authenticateCredential } from "../../auth/authenticate.ts";
import type { Principal } from "../../auth/principal.ts";
import { AppError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { hasAllChangesAfter, readChangeLogExtent } from "../change.ts";

/** The principal of an admitted client, and the client's position in the change log. */
export interface AuthenticatedClient {
  principal: Principal & { organizationId: string };
  /** Number of the last change that the client has seen. */
  cursor: number;
  /** Number of the organization's last change at the time of admission. */
  last: number;
}

/** A refused connection. The client receives `connect_error` with `message`, and `data` with a stable `code`. */
export class ConnectionRefusedError extends Error {
  readonly data: Record<string, unknown>;

  constructor(code: string, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.data = { code, ...more };
  }
}

/**
 * Checks `auth: {token, lastSyncId?}`. Without `lastSyncId` a client receives the changes from now on.
 * @throws ConnectionRefusedError for errors of the client; UnavailableError when the database does not respond.
 */
export async function authenticateSocket(runtime: Runtime, { handshake }: Socket): Promise<AuthenticatedClient> {
  const { token, lastSyncId } = handshake.auth;
  const wanted = cursorOf(lastSyncId);
  const principal = await authenticated(runtime, token);
  const extent = await readChangeLogExtent(runtime.db, principal.organizationId);
  if (!extent) throw new ConnectionRefusedError("AUTHENTICATION_ERROR", "The organization does not exist.");
  const cursor = wanted ?? extent.last;
  if (hasAllChangesAfter(extent, cursor)) return { principal, cursor, last: extent.last };
  const { oldest, last } = extent;
  throw new ConnectionRefusedError(
    "SYNC_GAP",
    `The change log does not go on from ${cursor}: fetch anew, and go on from ${last}.`,
    {
      oldest,
      last,
    },
  );
}

/** Parses a number or a numeric string, as `SyncCursor` does. Undefined for a missing value. */
function cursorOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new ConnectionRefusedError(
    "INPUT_ERROR",
    "auth.lastSyncId takes the lastSyncId of the last change seen, a whole number.",
  );
}

async function authenticated(runtime: Runtime, token: unknown): Promise<AuthenticatedClient["principal"]> {
  if (typeof token !== "string" || token === "") {
    throw new ConnectionRefusedError(
      "AUTHENTICATION_ERROR",
      "auth.token takes a personal key or an access token, without Bearer.",
    );
  }
  const principal = await authenticateCredential(runtime, token).catch((error) => {
    if (error instanceof AppError) throw new ConnectionRefusedError("AUTHENTICATION_ERROR", error.message);
    throw error;
  });
  const { organizationId, scopes } = principal;
  if (scopes && !scopes.includes("read"))
    throw new ConnectionRefusedError("FORBIDDEN", "The token lacks the scope read.");
  if (organizationId) return { ...principal, organizationId };
  throw new ConnectionRefusedError(
    "FORBIDDEN",
    "The token belongs to no organization: create an organization with POST /api/organization.",
  );
}

type Connection = Socket["conn"];

/** A property that engine.io adds to upgraded requests. The published types lack the property. */
type Upgraded = IncomingMessage & { websocket?: object };

/** Time in ms after which a connection without an accepted token is closed. */
const CLOSE_MS = 9_000;
/**
 * Time in ms after which the WebSocket is destroyed. A client that ignores the close frame would otherwise stay for
 * half a minute.
 */
const CUT_MS = 10_000;

/**
 * Closes connections that have not sent a valid token in time: long polling sessions, WebSockets, and WebSockets that
 * never completed the upgrade from long polling. Call this function before the server accepts sockets.
 * @returns a function to call with each admitted connection.
 */
export function closeUnauthenticatedConnections(
  engine: EventEmitter,
  server: HttpServer,
): (connection: Connection) => void {
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
