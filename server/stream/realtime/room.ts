import type { Semaphore } from "../../../concurrency/semaphore.ts";
import type { Database } from "../../../db/open.ts";
import type { Principal } from "../../auth/principal.ts";
import { type Change, readRange } from "../change.ts";
import type { Feed, Following } from "../feed.ts";
import { type Batch, type Connection, encodeBatch } from "./frames/index.ts";

/** One connected client. */
export interface Client {
  principal: Principal & { organizationId: string };
  connection: Connection;
  /** Number of the last change written to it: nothing up to there is written again. */
  cursor: number;
  /** False once it is closed. */
  open: boolean;
}

/** Most bytes that wait in this process for one client. */
const MAX_BUFFERED = 1024 * 1024;

/** Why a socket is closed, as a WebSocket close code and its reason. */
const CLOSING = {
  shutdown: [1001, "the server is shutting down"],
  unavailable: [1013, "the change log cannot be read now; connect again"],
  revoked: [4401, "the credential was revoked"],
  expired: [4401, "the access token expired"],
  gap: [4409, "the change log no longer continues here; connect again with lastSyncId"],
} as const;

/** Closes a client with its reason. */
export function closeClient(client: Client, reason: keyof typeof CLOSING): void {
  if (!client.open) return;
  client.open = false;
  const [code, words] = CLOSING[reason];
  client.connection.close(code, words);
}

/** Writes a batch that begins right after the client's cursor. A client that reads too slowly is dropped instead. */
function writeTo(client: Client, batch: Batch, sent?: () => void): void {
  if (!client.open) return;
  const waiting = client.connection.buffered();
  // One batch may be larger than the buffer is meant to be: with nothing else waiting it goes out.
  if (waiting > 0 && waiting + batch.frames.length > MAX_BUFFERED) {
    client.open = false;
    client.connection.cut();
    return;
  }
  client.cursor = batch.last;
  client.connection.write(batch, sent);
}

/** The live clients of one organization in this process. */
interface Room {
  /** Number of the last change that was published live. */
  position(): number;
  /** Takes in a client whose cursor has reached the position: from now on it is written to as changes come. */
  join(client: Client): void;
}

/** The rooms of this process; a room exists while someone is in it or on the way. */
export interface Rooms {
  /** Finds the client's room, or opens it where the log ends: after `last`. `leave` must follow. */
  enter(client: Client, last: number): Room;
  leave(client: Client): void;
}

interface State extends Room {
  following: Following;
  live: Set<Client>;
  /** Everyone who entered, live or still catching up. */
  within: Set<Client>;
}

/** Rooms over a feed. */
export function createRooms(feed: Feed): Rooms {
  const rooms = new Map<string, State>();

  const open = (organizationId: string, position: number): State => {
    const live = new Set<Client>();
    const within = new Set<Client>();
    const following = feed.follow(organizationId, position, {
      publish: (changes) => publish(organizationId, changes, live),
      lost() {
        rooms.delete(organizationId);
        for (const client of within) closeClient(client, "gap");
      },
    });
    const room = { live, within, following, position: following.position, join: (one: Client) => void live.add(one) };
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

/** Encodes once for all; a client that is ahead of the others gets only its unseen changes. */
function publish(organizationId: string, changes: readonly Change[], live: ReadonlySet<Client>): void {
  if (live.size === 0) return;
  const batch = encodeBatch(organizationId, changes);
  for (const client of live) {
    if (client.cursor < batch.first) writeTo(client, batch);
    else if (client.cursor < batch.last) {
      writeTo(
        client,
        encodeBatch(
          organizationId,
          changes.filter(({ lastSyncId }) => lastSyncId > client.cursor),
        ),
      );
    }
  }
}

/**
 * Writes what a client missed, range by range, each when the one before has left this process. The client goes live
 * without an `await` after its cursor was seen to have reached what was published live, so nothing is missed and
 * nothing sent twice (docs/realtime.md).
 */
export async function replay(db: Database, client: Client, room: Room, replays: Semaphore): Promise<void> {
  const { organizationId } = client.principal;
  while (client.open && client.cursor < room.position()) {
    const { changes } = await replays.run(() => readRange(db, organizationId, client.cursor));
    if (!client.open) return;
    if (changes[0]?.lastSyncId !== client.cursor + 1) return closeClient(client, "gap");
    // When the connection ends in between this never resolves, and is collected together with the client.
    await new Promise<void>((sent) => writeTo(client, encodeBatch(organizationId, changes), sent));
  }
  if (client.open) room.join(client);
}
