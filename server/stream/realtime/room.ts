import type { Change } from "../change.ts";
import type { Feed, Following } from "../feed.ts";
import { type Client, closeClient, writeTo } from "./client.ts";
import { encodeBatch } from "./frames/index.ts";

/** The live clients of one organization in this process. */
export interface Room {
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
