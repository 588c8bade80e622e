import type { Server as HttpServer } from "node:http";
import { Server, type Socket } from "socket.io";
import { startInterval } from "../../../concurrency/interval.ts";
import { createSemaphore, type Semaphore } from "../../../concurrency/semaphore.ts";
import { liveCredentials } from "../../auth/live.ts";
import { corsPolicy, hostRule, mayConnect } from "../../auth/origin.ts";
import type { Runtime } from "../../runtime.ts";
import type { Feed } from "../feed.ts";
import { connectionOf } from "./frames/index.ts";
import { type Admission, admit, closeUnadmitted, Refusal } from "./handshake.ts";
import { type Client, closeClient, createRooms, type Rooms, replay } from "./room.ts";
import { followTouchedSessions, type TouchedSessions } from "./touched.ts";

/** Connections one process holds, at about 26 KB each. */
const MAX_CONNECTIONS = 20_000;
/** Clients send a token and a room's name: nothing is larger. */
const MAX_MESSAGE = 16 * 1024;
/** Clients that catch up at once; their reads keep out of the way of those that are live. */
const MAX_REPLAYS = 4;

interface State {
  runtime: Runtime;
  clients: Set<Client>;
  rooms: Rooms;
  replays: Semaphore;
  /** Keeps an admitted connection from being closed by its time-out. */
  admitted: (connection: Socket["conn"]) => void;
  touched: TouchedSessions;
}

/** Serves socket.io on the server's port (docs/realtime.md). */
export function startRealtime(runtime: Runtime, server: HttpServer, feed: Feed): { close(): void } {
  const isForThisHost = hostRule(runtime.config);
  const io = new Server(server, {
    serveClient: false,
    maxHttpBufferSize: MAX_MESSAGE,
    httpCompression: false,
    cors: (request, decide) => decide(null, corsPolicy(runtime, request)),
    allowRequest: (request, decide) =>
      mayConnect(runtime, request) && isForThisHost(request)
        ? decide(null, !runtime.stopping.aborted && io.engine.clientsCount < MAX_CONNECTIONS)
        : decide("The origin of this page is not among CORS_ORIGINS, or the host not among ALLOWED_HOSTS.", false),
  });
  const admitted = closeUnadmitted(io.engine, server);
  const state: State = {
    runtime,
    clients: new Set(),
    rooms: createRooms(feed),
    replays: createSemaphore(MAX_REPLAYS),
    admitted,
    touched: followTouchedSessions(runtime),
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

/** Serves an admitted client from its place in the log until it disconnects. */
function serve({ runtime, clients, rooms, replays, admitted, touched }: State, socket: Socket): void {
  admitted(socket.conn);
  const { principal, cursor, last }: Admission = socket.data;
  const client: Client = { principal, cursor, connection: connectionOf(socket), open: true };
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
  replay(runtime.db, client, room, replays).catch((error) => {
    runtime.log.debug({ err: error }, "a client's replay failed; it connects again");
    closeClient(client, "unavailable");
  });
}

/** Admits one client a connection. When the database is down it closes it, and the client connects again. */
async function admitOnce(runtime: Runtime, socket: Socket): Promise<void> {
  if (used.has(socket.conn)) throw new Refusal("INPUT_ERROR", "This connection has been used to connect before.");
  used.add(socket.conn);
  try {
    Object.assign(socket.data, await admit(runtime, socket));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    runtime.log.debug({ err: error }, "a client could not be admitted; it connects again");
    connectionOf(socket).close(1013, "the server is unavailable; connect again");
    throw error;
  }
}

const used = new WeakSet<object>();

/** The server puts every client into its organization's room; a client may ask for that room, and for no other. */
function joinOwnRoom(socket: Socket, organizationId: string): void {
  const own = `org:${organizationId}`;
  void socket.join(own);
  socket.on("join", (room: unknown, acknowledge: unknown) => {
    const answer = room === own ? { ok: true, room: own } : { ok: false, error: `Only ${own} can be joined.` };
    if (typeof acknowledge === "function") acknowledge(answer);
  });
}

/** The interval of checks of credentials: with the query itself, a revoked one keeps its socket less than 1 s. */
const CHECK_MS = 400;

/** Closes the clients whose credential is revoked or expires. Returns the way to stop. */
function watchCredentials({ db, log }: Runtime, clients: ReadonlySet<Client>): () => void {
  return startInterval(CHECK_MS, () =>
    closeDead(db, clients).catch((error) => log.debug({ err: error }, "credentials not looked at; tried again")),
  );
}

async function closeDead(db: Runtime["db"], clients: ReadonlySet<Client>): Promise<void> {
  for (const client of clients) {
    if ((client.principal.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) closeClient(client, "expired");
  }
  const held = [...clients].filter((client) => client.open);
  const distinct = new Map(held.map(({ principal: one }) => [`${one.credentialId} ${one.organizationId}`, one]));
  const isLive = await liveCredentials(db, [...distinct.values()]);
  for (const client of held) if (!isLive(client.principal)) closeClient(client, "revoked");
}
