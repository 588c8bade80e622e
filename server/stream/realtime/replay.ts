import type { Semaphore } from "../../../concurrency/semaphore.ts";
import type { Database } from "../../../db/open.ts";
import { readRange } from "../change.ts";
import { type Client, closeClient, writeTo } from "./client.ts";
import { encodeBatch } from "./frames/index.ts";
import type { Room } from "./room.ts";

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
