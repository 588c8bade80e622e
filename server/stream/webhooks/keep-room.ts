import { setTimeout as sleep } from "node:timers/promises";
import { type PendingLimits, pendingLimits } from "../../resources/webhook/pending.ts";
import type { Runtime } from "../../runtime.ts";
import { createDueOrganizations } from "./due.ts";
import { disableFull, endWaiting, giveRoom, shortOfRoom } from "./room.ts";

/** The least time between two checks. A check that took long is followed by a longer pause. */
const SPACING_MS = 100;
const SPACING_TIMES = 3;

/** Gives webhooks room for the deliveries of changes, and disables those for which too many wait. Any number of processes do. */
export function keepRoom(runtime: Runtime): { close(): Promise<void> } {
  const { db, log, stopping, config } = runtime;
  const limits = pendingLimits(config);
  const due = createDueOrganizations();
  const unsubscribe = db.wake.subscribe(due.add);
  const check = async (some: readonly string[] | undefined) => {
    for (const id of await shortOfRoom(db, some)) {
      // A wake is for every process: it sends the late deliveries, and has this one check again.
      const wake = await keepIn(runtime, id, limits).catch((error) =>
        log.warn({ err: error, organizationId: id }, "webhooks got no room for deliveries; tried again"),
      );
      if (wake) db.wake.publish(id);
    }
  };
  const keepChecking = async () => {
    while (!stopping.aborted) {
      const begun = performance.now();
      await db
        .as("short", () => check(due.take()))
        .catch((error) => log.debug({ err: error }, "room of webhooks not checked; tried again"));
      const spacing = Math.max(SPACING_MS, SPACING_TIMES * (performance.now() - begun));
      await sleep(spacing, undefined, { signal: stopping, ref: false }).catch(() => {});
      if (!stopping.aborted) await due.wait();
    }
  };
  const checking = keepChecking();
  return {
    async close() {
      unsubscribe();
      due.end();
      await checking;
    },
  };
}

/** Gives room in one organization. @returns whether something is to be sent, or there is more to do */
async function keepIn(runtime: Runtime, organizationId: string, limits: PendingLimits): Promise<boolean> {
  const { wrote, more, full } = await giveRoom(runtime.db, organizationId, limits);
  if (!full) return wrote || more;
  await disableFull(runtime, organizationId, full);
  await endWaiting(runtime.db, organizationId, full.id);
  return true;
}
