import type { Server as HttpServer } from "node:http";
import { Server, type Socket } from "socket.io";
import { getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { startInterval } from "../../../concurrency/interval.ts";
import { createSemaphore, type Semaphore } from "../../../concurrency/semaphore.ts";
import { createLiveCredentialCheck } from "../../auth/live.ts";
import { corsPolicy, createHostHeaderCheck, isAllowedOrigin } from "../../auth/origin.ts";
import type { Runtime } from "../../runtime.ts";
import type { ChangeFeed } from "../feed.ts";
import { createSocketConnection } from "./frames/index.ts";
import {
  type AuthenticatedClient,
  authenticateSocket,
  ConnectionRefusedError,
  closeUnauthenticatedConnections,
} from "./handshake.ts";
import {
  closeClient,
  createRealtimeRooms,
  type RealtimeClient,
  type RealtimeRooms,
  sendMissedChanges,
} from "./room.ts";
import { createTouchedSessionPublisher, type TouchedSessionPublisher } from "./touched.ts";

/** Maximum connections of one process. Each uses about 26 KB. */
const MAX_CONNECTIONS = 20_000;
/** Maximum bytes of a client's message. Clients send only a token and the name of a room. */
const MAX_MESSAGE = 16 * 1024;
/**
 * Maximum number of clients whose missed changes are read at the same time. The limit keeps these reads from delaying
 * live clients.
 */
const MAX_REPLAYS = 4;

interface State {
  runtime: Runtime;
  clients: Set<RealtimeClient>;
  rooms: RealtimeRooms;
  replays: Semaphore;
  /** Exempts an admitted connection from the time-out. */
  admitted: (connection: Socket["conn"]) => void;
  touched: TouchedSessionPublisher;
}

/** Serves socket.io on the server's port (docs/realtime.md). */
export function startRealtime(runtime: Runtime, server: HttpServer, feed: ChangeFeed): { close(): void } {
  const isForThisHost = createHostHeaderCheck(runtime.config);
  const io = new Server(server, {
    serveClient: false,
    maxHttpBufferSize: MAX_MESSAGE,
    httpCompression: false,
    cors: (request, decide) => decide(null, corsPolicy(runtime, request)),
    allowRequest: (request, decide) =>
      isAllowedOrigin(runtime, request) && isForThisHost(request)
        ? decide(null, !runtime.stopping.aborted && io.engine.clientsCount < MAX_CONNECTIONS)
        : decide(
            "CORS_ORIGINS does not contain the origin of this page, or ALLOWED_HOSTS does not contain the host.",
            false,
          ),
  });
  const admitted = closeUnauthenticatedConnections(io.engine, server);
  const state: State = {
    runtime,
    clients: new Set(),
    rooms: createRealtimeRooms(feed),
    replays: createSemaphore(MAX_REPLAYS),
    admitted,
    touched: createTouchedSessionPublisher(runtime),
  };
  io.use((socket, next) => {
    admitOnce(runtime, socket).then(() => next(), next);
  });
  io.on("connection", (socket) => serve(state, socket));
  const stopWatching = watchCredentials(runtime, state.clients);
  return {
    close() {
      stopWatching();
      state.touched.close();
      for (const client of state.clients) closeClient(client, "shutdown");
      io.engine.close();
    },
  };
}

/** Serves an admitted client from its position in the log until the client disconnects. */
function serve({ runtime, clients, rooms, replays, admitted, touched }: State, socket: Socket): void {
  admitted(socket.conn);
  const { principal, cursor, last }: AuthenticatedClient = socket.data;
  const client: RealtimeClient = { principal, cursor, connection: createSocketConnection(socket), open: true };
  clients.add(client);
  const room = rooms.enter(client, last);
  socket.on("disconnect", () => {
    client.open = false;
    clients.delete(client);
    rooms.leave(client);
    socket.conn.close();
  });
  joinOwnRoom(socket, principal.organizationId);
  if (socket.handshake.auth["sessions"] === true) touched.tell(socket, principal.organizationId);
  sendMissedChanges(runtime.db, client, room, replays).catch((error) => {
    runtime.log.debug({ err: error }, "sending missed changes to a client failed; the client will reconnect");
    closeClient(client, "unavailable");
  });
}

/** Admits one client per connection. When the database is unavailable, closes the connection; the client reconnects. */
async function admitOnce(runtime: Runtime, socket: Socket): Promise<void> {
  if (used.has(socket.conn))
    throw new ConnectionRefusedError("INPUT_ERROR", "This connection was already used; open a new connection.");
  used.add(socket.conn);
  try {
    Object.assign(socket.data, await authenticateSocket(runtime, socket));
  } catch (error) {
    if (error instanceof ConnectionRefusedError) throw error;
    runtime.log.debug({ err: error }, "a client could not be admitted; the client will reconnect");
    createSocketConnection(socket).close(1013, "the server is unavailable; connect again");
    throw error;
  }
}

const used = new WeakSet<object>();

/** Puts the client into its organization's room. A client may join only the room of its organization. */
function joinOwnRoom(socket: Socket, organizationId: string): void {
  const own = `org:${organizationId}`;
  void socket.join(own);
  socket.on("join", (room: unknown, acknowledge: unknown) => {
    const answer = room === own ? { ok: true, room: own } : { ok: false, error: `Only ${own} can be joined.` };
    if (typeof acknowledge === "function") acknowledge(answer);
  });
}

/**
 * Interval of credential checks in ms. Including the query, a revoked credential keeps its socket for less than 1 s.
 */
const CHECK_MS = 400;

/** Closes clients whose credential is revoked or expired. Returns a function that stops the checks. */
function watchCredentials({ db, log }: Runtime, clients: ReadonlySet<RealtimeClient>): () => void {
  return startInterval(CHECK_MS, () =>
    closeDead(db, clients).catch((error) =>
      log.debug({ err: error }, "credentials of open sockets could not be checked; the server will retry"),
    ),
  );
}

async function closeDead(db: Runtime["db"], clients: ReadonlySet<RealtimeClient>): Promise<void> {
  for (const client of clients) {
    if ((client.principal.expiresAt ?? Number.POSITIVE_INFINITY) <= getMonotonicEpochMs())
      closeClient(client, "expired");
  }
  const held = [...clients].filter((client) => client.open);
  const distinct = new Map(held.map(({ principal: one }) => [`${one.credentialId} ${one.organizationId}`, one]));
  const isLive = await createLiveCredentialCheck(db, [...distinct.values()]);
  for (const client of held) if (!isLive(client.principal)) closeClient(client, "revoked");
}
