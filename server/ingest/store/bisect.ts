import type { ClientBase } from "pg";
import type { EncodedEvent } from "../tuple/index.ts";
import { insertEvents } from "./events.ts";
import type { Placed } from "./load.ts";
import { isRefusal, refusal } from "./sqlstate.ts";

/**
 * Stores what the database takes of a load it refused: halves, each under a savepoint, down to the rows to blame.
 * Ten savepoints find one bad row among 500.
 */
export async function storeByHalves(client: ClientBase, events: readonly Placed<EncodedEvent>[]): Promise<void> {
  await client.query("savepoint part");
  try {
    await insertEvents(client, events);
    await client.query("release savepoint part");
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await client.query("rollback to savepoint part; release savepoint part");
    for (const event of events) event.isNew = false;
    const [only] = events;
    if (events.length === 1 && only) {
      only.verdict = { refused: refusal(error) };
      return;
    }
    const middle = Math.ceil(events.length / 2);
    await storeByHalves(client, events.slice(0, middle));
    await storeByHalves(client, events.slice(middle));
  }
}
