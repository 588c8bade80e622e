import type { Change } from "../change.ts";
import type { Feed, Following } from "../feed.ts";
import { encodeBatch } from "./frames/index.ts";
import { closeSession, type Session, writeTo } from "./session.ts";

/** The live sessions of one organization in this process. */
export interface Room {
  /** Number of the last change that was published live. */
  position(): number;
  /** Takes in a session whose cursor has reached the position: from now on it is written to as changes come. */
  join(session: Session): void;
}

/** The rooms of this process; a room exists while someone is in it or on the way. */
export interface Rooms {
  /** Finds the session's room, or opens it where the log ends: after `last`. `leave` must follow. */
  enter(session: Session, last: number): Room;
  leave(session: Session): void;
}

interface State extends Room {
  following: Following;
  live: Set<Session>;
  /** Everyone who entered, live or still catching up. */
  within: Set<Session>;
}

/** Rooms over a feed. */
export function createRooms(feed: Feed): Rooms {
  const rooms = new Map<string, State>();

  const open = (organizationId: string, position: number): State => {
    const live = new Set<Session>();
    const within = new Set<Session>();
    const following = feed.follow(organizationId, position, {
      publish: (changes) => publish(organizationId, changes, live),
      lost() {
        rooms.delete(organizationId);
        for (const session of within) closeSession(session, "gap");
      },
    });
    const room = { live, within, following, position: following.position, join: (one: Session) => void live.add(one) };
    rooms.set(organizationId, room);
    return room;
  };

  return {
    enter(session, last) {
      const { organizationId } = session.principal;
      const room = rooms.get(organizationId) ?? open(organizationId, last);
      room.within.add(session);
      return room;
    },
    leave(session) {
      const room = rooms.get(session.principal.organizationId);
      if (!room?.within.delete(session)) return;
      room.live.delete(session);
      if (room.within.size > 0) return;
      room.following.stop();
      rooms.delete(session.principal.organizationId);
    },
  };
}

/** Encodes once for all; a session that is ahead of the others gets only what it has not seen. */
function publish(organizationId: string, changes: readonly Change[], live: ReadonlySet<Session>): void {
  if (live.size === 0) return;
  const batch = encodeBatch(organizationId, changes);
  for (const session of live) {
    if (session.cursor < batch.first) writeTo(session, batch);
    else if (session.cursor < batch.last) {
      writeTo(
        session,
        encodeBatch(
          organizationId,
          changes.filter(({ lastSyncId }) => lastSyncId > session.cursor),
        ),
      );
    }
  }
}
