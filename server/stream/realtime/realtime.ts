import type { Server as HttpServer } from "node:http";
import { Server, type Socket } from "socket.io";
import { corsPolicy, mayConnect } from "../../auth/origin.ts";
import type { Runtime } from "../../runtime.ts";
import type { Feed } from "../feed.ts";
import { lanes } from "../lanes.ts";
import { closeUnadmitted } from "./admission-timeout.ts";
import { type Admission, admit, Refusal } from "./handshake.ts";
import { replay } from "./replay.ts";
import { createRooms, type Rooms } from "./room.ts";
import { closeSession, type Session } from "./session.ts";
import { watchCredentials } from "./watch.ts";
import { wireOf } from "./wire.ts";

/** Connections one process holds, at about 26 KB each. */
const MAX_CONNECTIONS = 20_000;
/** Clients send a token and a room's name: nothing is larger. */
const MAX_MESSAGE = 16 * 1024;
/** Clients that catch up at once; their reads keep out of the way of those that are live. */
const REPLAYS = 4;

interface State {
  runtime: Runtime;
  sessions: Set<Session>;
  rooms: Rooms;
  lane: ReturnType<typeof lanes>;
  /** Notes that a connection was let in, which else is closed soon. */
  admitted: (connection: Socket["conn"]) => void;
}

/** Serves socket.io on the server's port (source §6, decisions §6). */
export function startRealtime(runtime: Runtime, server: HttpServer, feed: Feed): { close(): void } {
  const io = new Server(server, {
    serveClient: false,
    maxHttpBufferSize: MAX_MESSAGE,
    httpCompression: false,
    cors: corsPolicy(runtime),
    allowRequest: (request, decide) =>
      mayConnect(runtime, request)
        ? decide(null, !runtime.stopping.aborted && io.engine.clientsCount < MAX_CONNECTIONS)
        : decide("The origin of this page is not among CORS_ORIGINS.", false),
  });
  const admitted = closeUnadmitted(io.engine, server);
  const state: State = { runtime, sessions: new Set(), rooms: createRooms(feed), lane: lanes(REPLAYS), admitted };
  io.use((socket, next) => {
    welcome(runtime, socket).then(() => next(), next);
  });
  io.on("connection", (socket) => serve(state, socket));
  const stopWatching = watchCredentials(runtime, state.sessions);
  return {
    close() {
      stopWatching();
      for (const session of state.sessions) closeSession(session, "shutdown");
      io.engine.close();
    },
  };
}

/** Gives a client that was let in its place in the log, until it goes. */
function serve({ runtime, sessions, rooms, lane, admitted }: State, socket: Socket): void {
  admitted(socket.conn);
  const { principal, cursor, last }: Admission = socket.data;
  const session: Session = { principal, cursor, wire: wireOf(socket), open: true };
  sessions.add(session);
  const room = rooms.enter(session, last);
  socket.on("disconnect", () => {
    session.open = false;
    sessions.delete(session);
    rooms.leave(session);
    socket.conn.close();
  });
  joinOwnRoom(socket, principal.organizationId);
  replay(runtime.db, session, room, lane).catch((error) => {
    runtime.log.debug({ err: error }, "a client's replay failed; it connects again");
    closeSession(session, "unavailable");
  });
}

/** Lets a client in, once a connection; when the database is down the connection is cut, so that the client tries again. */
async function welcome(runtime: Runtime, socket: Socket): Promise<void> {
  if (greeted.has(socket.conn)) throw new Refusal("INPUT_ERROR", "This connection has been used to connect before.");
  greeted.add(socket.conn);
  try {
    Object.assign(socket.data, await admit(runtime, socket));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    runtime.log.debug({ err: error }, "a client could not be let in; it connects again");
    wireOf(socket).close(1013, "the server is unavailable; connect again");
    throw error;
  }
}

const greeted = new WeakSet<object>();

/** The server puts every client into its organization's room; a client may ask for that room, and for no other. */
function joinOwnRoom(socket: Socket, organizationId: string): void {
  const own = `org:${organizationId}`;
  void socket.join(own);
  socket.on("join", (room: unknown, acknowledge: unknown) => {
    const answer = room === own ? { ok: true, room: own } : { ok: false, error: `Only ${own} can be joined.` };
    if (typeof acknowledge === "function") acknowledge(answer);
  });
}
