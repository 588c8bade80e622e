import { inputError } from "../errors.ts";
import type { Model } from "./entity.ts";
import { flush } from "./flush.ts";
import type { Scope } from "./scope.ts";
import type { Write } from "./write.ts";

/** What a mutation leaves behind: its function's value and the organization's last change number. */
export interface Outcome<T> {
  value: T;
  lastSyncId: number;
}

/**
 * Runs `work` as one transaction of an organization. Its first statement raises the organization's change counter,
 * which also holds every other writer of the organization back: numbers are gapless and in commit order, and what
 * `work` reads stays true until the commit. Announces the news after the commit.
 */
export async function mutate<T>(scope: Scope, model: Model, work: (write: Write) => Promise<T>): Promise<Outcome<T>> {
  const outcome = await scope.db.transaction(async (trx) => {
    const [sync] = await trx.query<{ lastSyncId: number }>({
      name: "raise-sync",
      text: `update sync set "lastSyncId" = "lastSyncId" + 1 where "organizationId" = $1 returning "lastSyncId"`,
      values: [scope.organizationId],
    });
    if (!sync) throw inputError("the organization does not exist");
    const write: Write = { scope, model, trx, at: new Date().toISOString(), operations: [], entries: [] };
    const value = await work(write);
    return { value, lastSyncId: await flush(write, sync.lastSyncId) };
  });
  scope.db.wake.publish(scope.organizationId);
  return outcome;
}
