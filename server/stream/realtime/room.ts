import type { Semaphore } from "../../../concurrency/semaphore.ts";
import type { Database } from "../../../db/open.ts";
import type { Principal } from "../../auth/principal.ts";
import { type ChangeLogEntry, readNextChanges } from "../change.ts";
import type { ChangeFeed, ChangeLogSubscription } from "../feed.ts";
import { type EncodedChangeBatch, encodeChangeBatch, type SocketConnection } from "./frames/index.ts";

export interface RealtimeClient {
  principal: Principal & { organizationId: string };
  connection: SocketConnection;
  /** Number of the last change written to the client. Earlier changes are not written again. */
  cursor: number;
  /** False after the connection is closed. */
  open: boolean;
}

/** Maximum bytes that wait in this process for one client. */
const MAX_BUFFERED = 1024 * 1024;

/** WebSocket close codes and reasons. */
const CLOSING = {
  shutdown: [1001, "the server is shutting down"],
  unavailable: [1013, "the change log cannot be read now; connect again"],
  revoked: [4401, "the credential was revoked"],
  expired: [4401, "the access token expired"],
  gap: [4409, "the change log no longer continues here; connect again with lastSyncId"],
} as const;

export function closeClient(client: RealtimeClient, reason: keyof typeof CLOSING): void {
  if (!client.open) return;
  client.open = false;
  const [code, words] = CLOSING[reason];
  client.connection.close(code, words);
}

/** Writes a batch that begins right after the client's cursor. Disconnects a client that reads too slowly. */
function writeTo(client: RealtimeClient, batch: EncodedChangeBatch, sent?: () => void): void {
  if (!client.open) return;
  const waiting = client.connection.buffered();
  // A single batch may exceed the buffer limit. The batch is sent when nothing else is waiting.
  if (waiting > 0 && waiting + batch.frames.length > MAX_BUFFERED) {
    client.open = false;
    client.connection.cut();
    return;
  }
  client.cursor = batch.last;
  client.connection.write(batch, sent);
}

/** An organization's live clients in this process. */
interface Room {
  /** Number of the last change published to live clients. */
  position(): number;
  /** Adds a client whose cursor has reached the position. From now on the client receives changes as they arrive. */
  join(client: RealtimeClient): void;
}

/** The rooms of this process. A room exists while a client is live or catching up. */
export interface RealtimeRooms {
  /**
   * Returns the client's room. If no room exists, opens a room that begins at the end of the log, after change `last`.
   * The caller must call `leave` later.
   */
  enter(client: RealtimeClient, last: number): Room;
  leave(client: RealtimeClient): void;
}

interface State extends Room {
  following: ChangeLogSubscription;
  live: Set<RealtimeClient>;
  /** All clients that entered, live or catching up. */
  within: Set<RealtimeClient>;
}

export function createRealtimeRooms(feed: ChangeFeed): RealtimeRooms {
  const rooms = new Map<string, State>();

  const open = (organizationId: string, position: number): State => {
    const live = new Set<RealtimeClient>();
    const within = new Set<RealtimeClient>();
    const following = feed.follow(organizationId, position, {
      publish: (changes) => publish(organizationId, changes, live),
      lost() {
        rooms.delete(organizationId);
        for (const client of within) closeClient(client, "gap");
      },
    });
    const room = {
      live,
      within,
      following,
      position: following.position,
      join: (one: RealtimeClient) => void live.add(one),
    };
    rooms.set(organizationId, room);
    return room;
  };

  return {
    enter(client, last) {
      const { organizationId } = client.principal;
      const room = rooms.get(organizationId) ?? open(organizationId, last);
      room.within.add(client);
      return room;
    },
    leave(client) {
      const room = rooms.get(client.principal.organizationId);
      if (!room?.within.delete(client)) return;
      room.live.delete(client);
      if (room.within.size > 0) return;
      room.following.stop();
      rooms.delete(client.principal.organizationId);
    },
  };
}

/** Encodes a batch once for all clients. A client that is already ahead receives only the changes after its cursor. */
function publish(organizationId: string, changes: readonly ChangeLogEntry[], live: ReadonlySet<RealtimeClient>): void {
  if (live.size === 0) return;
  const batch = encodeChangeBatch(organizationId, changes);
  for (const client of live) {
    if (client.cursor < batch.first) writeTo(client, batch);
    else if (client.cursor < batch.last) {
      writeTo(
        client,
        encodeChangeBatch(
          organizationId,
          changes.filter(({ lastSyncId }) => lastSyncId > client.cursor),
        ),
      );
    }
  }
}

/**
 * Writes the changes that a client missed, range by range. Each range waits until the previous range has left this
 * process. No `await` stands between the check that the client has caught up and `join`, so no change is missed or
 * sent twice (docs/realtime.md).
 */
export async function sendMissedChanges(
  db: Database,
  client: RealtimeClient,
  room: Room,
  replays: Semaphore,
): Promise<void> {
  const { organizationId } = client.principal;
  while (client.open && client.cursor < room.position()) {
    const { changes } = await replays.run(() => readNextChanges(db, organizationId, client.cursor));
    if (!client.open) return;
    if (changes[0]?.lastSyncId !== client.cursor + 1) return closeClient(client, "gap");
    // When the connection ends first, the promise never resolves and is garbage collected with the client.
    await new Promise<void>((sent) => writeTo(client, encodeChangeBatch(organizationId, changes), sent));
  }
  if (client.open) room.join(client);
}
