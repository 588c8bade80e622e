import { setTimeout as sleep } from "node:timers/promises";
import { computePendingDeliveryLimits, type PendingDeliveryLimits } from "../../resources/webhook/pending.ts";
import type { Runtime } from "../../runtime.ts";
import { createDueOrganizationQueue } from "./due.ts";
import {
  disableFullWebhook,
  endWaitingDeliveries,
  extendDeliveryLimits,
  findOrganizationsNearDeliveryLimit,
} from "./room.ts";

/** Minimum pause between two checks, in ms. After a long check the pause is three times as long as the check. */
const SPACING_MS = 100;
const SPACING_TIMES = 3;

/**
 * Lets webhooks accept further changes while their queues have room, and disables webhooks with too many waiting
 * deliveries. Any number of processes share the work.
 */
export function startDeliveryLimitMaintenance(runtime: Runtime): { close(): Promise<void> } {
  const { db, log, stopping, config } = runtime;
  const limits = computePendingDeliveryLimits(config);
  const due = createDueOrganizationQueue();
  const unsubscribe = db.wake.subscribe(due.add);
  const check = async (some: readonly string[] | undefined) => {
    for (const id of await findOrganizationsNearDeliveryLimit(db, some)) {
      // A wake reaches every process, including this process. One process sends the late deliveries, and this process
      // checks again.
      const wake = await keepIn(runtime, id, limits).catch((error) =>
        log.warn(
          { err: error, organizationId: id },
          "the delivery limits of webhooks could not be extended; the server will retry",
        ),
      );
      if (wake) db.wake.publish(id);
    }
  };
  const keepChecking = async () => {
    while (!stopping.aborted) {
      const begun = performance.now();
      await db
        .as("short", () => check(due.take()))
        .catch((error) =>
          log.debug({ err: error }, "the delivery limits of webhooks could not be checked; the server will retry"),
        );
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

/**
 * Allows new deliveries for the webhooks of an organization, or disables a webhook whose queue is full. @returns true
 * when another check is needed: deliveries wait to be sent or to be written, or a webhook was disabled
 */
async function keepIn(runtime: Runtime, organizationId: string, limits: PendingDeliveryLimits): Promise<boolean> {
  const { wrote, more, full } = await extendDeliveryLimits(runtime.db, organizationId, limits);
  if (!full) return wrote || more;
  await disableFullWebhook(runtime, organizationId, full);
  await endWaitingDeliveries(runtime.db, organizationId, full.id);
  return true;
}
