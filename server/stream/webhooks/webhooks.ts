import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { targetConnector } from "../../outbound/connector.ts";
import { allowsPrivateAddresses, type Runtime } from "../../runtime.ts";
import { type AttemptDependencies, attemptDelivery } from "./attempt.ts";
import { type ClaimedDelivery, claimDueDeliveries, type DeliveryCapacity, type InFlightLoad } from "./claim.ts";
import { disableTarget, findDisableReason } from "./disable.ts";
import { createDueOrganizationQueue, type DueOrganizationQueue } from "./due.ts";
import { startDeliveryLimitMaintenance } from "./keep-room.ts";
import { type AttemptRecorder, createAttemptRecorder, releaseDeliveryClaims } from "./record.ts";

/** Maximum number of deliveries that this process has in flight, and the maximum bytes of the deliveries' content. */
const MAX_IN_FLIGHT = 128;
const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;
/**
 * Minimum pause between two checks, in ms, so that a burst of wakes costs one check. After a long check the pause is
 * three times as long as the check.
 */
const SPACING_MS = 20;
const SPACING_TIMES = 3;
/** Time in ms that deliveries in flight get to finish when the server stops. */
const GRACE_MS = 8_000;

interface State extends AttemptDependencies {
  recorder: AttemptRecorder;
  /** Deliveries in flight, each with a promise that resolves when the delivery ends. */
  inFlight: Map<ClaimedDelivery, Promise<void>>;
  due: DueOrganizationQueue;
}

/** Sends deliveries to webhooks and to the targets of notice rules. Any number of processes share the queue. */
export function startDeliverySender(runtime: Runtime): { close(): Promise<void> } {
  const giveUp = new AbortController();
  setMaxListeners(0, giveUp.signal);
  const allowPrivate = allowsPrivateAddresses(runtime);
  const dispatcher = new Agent({
    connect: targetConnector(allowPrivate),
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 30_000,
  });
  const due = createDueOrganizationQueue();
  const state: State = {
    runtime,
    dispatcher,
    allowPrivate,
    stop: giveUp.signal,
    recorder: createAttemptRecorder(runtime, giveUp.signal),
    inFlight: new Map(),
    due,
  };
  const unsubscribe = runtime.db.wake.subscribe(due.add);
  const claiming = keepClaiming(state);
  const room = startDeliveryLimitMaintenance(runtime);
  return {
    async close() {
      unsubscribe();
      due.end();
      await Promise.all([claiming, room.close()]);
      await Promise.race([Promise.all(state.inFlight.values()), sleep(GRACE_MS, undefined, { ref: false })]);
      const left = [...state.inFlight.keys()];
      giveUp.abort(new Error("the server stops"));
      await Promise.all(state.inFlight.values());
      await releaseDeliveryClaims(runtime, left);
      await dispatcher.destroy();
    },
  };
}

async function keepClaiming(state: State): Promise<void> {
  const { stopping, log } = state.runtime;
  while (!stopping.aborted) {
    const begun = performance.now();
    const where = state.due.take();
    await claimSome(state, where).catch((error) =>
      log.debug({ err: error }, "due deliveries could not be claimed; the server will retry"),
    );
    const spacing = Math.max(SPACING_MS, SPACING_TIMES * (performance.now() - begun));
    await sleep(spacing, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (!stopping.aborted) await state.due.wait();
  }
}

async function claimSome(state: State, where: readonly string[] | undefined): Promise<void> {
  const inFlight = [...state.inFlight.keys()];
  const deliveries = MAX_IN_FLIGHT - inFlight.length;
  const bytes = MAX_BYTES_IN_FLIGHT - sum(inFlight);
  // Without free capacity, this process claims nothing. The waiting deliveries are claimed when deliveries in flight
  // end.
  if (deliveries <= 0 || bytes <= 0) return state.due.addAll();
  if (where?.length === 0) return;
  const claimed = await claimDueDeliveries(state.runtime.db, { deliveries, bytes, ...heldOf(inFlight) }, where);
  if (claimed.length >= deliveries || sum(claimed) >= bytes) state.due.addAll();
  for (const delivery of claimed) {
    const end = deliver(state, delivery).finally(() => {
      state.inFlight.delete(delivery);
      state.due.add(delivery.organizationId);
    });
    state.inFlight.set(delivery, end);
  }
}

/** The deliveries in flight by target and by organization. */
function heldOf(inFlight: readonly ClaimedDelivery[]): Pick<DeliveryCapacity, "busy" | "held"> {
  const busy = new Map<string, number>();
  const held = new Map<string, InFlightLoad>();
  for (const { targetId, organizationId, size } of inFlight) {
    busy.set(targetId, (busy.get(targetId) ?? 0) + 1);
    const { deliveries, bytes } = held.get(organizationId) ?? { deliveries: 0, bytes: 0 };
    held.set(organizationId, { deliveries: deliveries + 1, bytes: bytes + size });
  }
  return { busy, held };
}

const sum = (claimed: readonly ClaimedDelivery[]): number => claimed.reduce((all, { size }) => all + size, 0);

/** Sends a delivery and records the outcome. Never rejects. */
async function deliver(state: State, delivery: ClaimedDelivery): Promise<void> {
  const { log } = state.runtime;
  try {
    const made = await attemptDelivery(state, delivery);
    await state.recorder.record(made);
    const { id, targetId } = delivery;
    if (made.error === null) return log.debug({ deliveryId: id, targetId, status: made.status }, "delivered");
    log.debug({ deliveryId: id, targetId, status: made.status, reason: made.error }, "delivery failed");
    const reason = findDisableReason(delivery, made.status);
    if (reason) await disableTarget(state.runtime, delivery, reason);
  } catch (error) {
    if (!state.stop.aborted)
      log.warn({ err: error }, "the result of a delivery is not known; the delivery will be sent again");
  }
}
