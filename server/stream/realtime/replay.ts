import type { Semaphore } from "../../../concurrency/semaphore.ts";
import type { Database } from "../../../db/open.ts";
import { readRange } from "../change.ts";
import { encodeBatch } from "./frames/index.ts";
import type { Room } from "./room.ts";
import { closeSession, type Session, writeTo } from "./session.ts";

/**
 * Writes what a session missed, range by range, each when the one before has left this process. The session goes live
 * without an `await` after its cursor was seen to have reached what was published live, so nothing is missed and
 * nothing sent twice (docs/realtime.md).
 */
export async function replay(db: Database, session: Session, room: Room, replays: Semaphore): Promise<void> {
  const { organizationId } = session.principal;
  while (session.open && session.cursor < room.position()) {
    const { changes } = await replays.run(() => readRange(db, organizationId, session.cursor));
    if (!session.open) return;
    if (changes[0]?.lastSyncId !== session.cursor + 1) return closeSession(session, "gap");
    // A connection that ends in between calls nothing back: then this is forgotten with its session.
    await new Promise<void>((sent) => writeTo(session, encodeBatch(organizationId, changes), sent));
  }
  if (session.open) room.join(session);
}
