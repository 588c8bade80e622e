import { logWarning } from "../log.ts";
import { batchesOf, type QueuedEvent, sizeOf } from "./batch.ts";

const MAX_EVENTS = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;
const DEADLINE_MS = 10_000;

/** Events that wait to be sent to the Trackway at one address, bounded in number and memory. */
export interface SendQueue {
  isEmpty(): boolean;
  /** Adds an event, or counts it as dropped when the queue is full. */
  push(makeEvent: () => QueuedEvent): void;
  /** Sends what waits; what could not be delivered now stays, in order. Answers whether something stayed. */
  flush(deadline?: AbortSignal): Promise<boolean>;
}

/** An empty queue for the Trackway at `url`. */
export function createSendQueue(url: string): SendQueue {
  let events: QueuedEvent[] = [];
  let bytes = 0;
  let dropped = 0;
  return {
    isEmpty: () => events.length === 0,
    push(makeEvent) {
      if (events.length >= MAX_EVENTS || bytes > MAX_BYTES) {
        dropped += 1;
        return;
      }
      const event = makeEvent();
      events.push(event);
      bytes += sizeOf(event);
    },
    async flush(deadline) {
      const taken = events;
      events = [];
      bytes = 0;
      const undelivered: QueuedEvent[] = [];
      for (const batch of batchesOf(taken)) if (!(await deliver(url, batch, deadline))) undelivered.push(...batch);
      events = [...undelivered, ...events];
      bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
      if (dropped > 0) logWarning(`capture: the queue was full, ${dropped} calls were not recorded`);
      dropped = 0;
      return undelivered.length > 0;
    },
  };
}

/**
 * Sends one batch. Events keep their ids, so sending again after a lost answer stores nothing twice.
 * @returns false when it is worth sending again: Trackway was out of reach, busy, or over its limit.
 */
async function deliver(url: string, batch: QueuedEvent[], deadline?: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.timeout(DEADLINE_MS);
  const response = await fetch(`${url}/api/v1/capture-events`, {
    method: "POST",
    headers: { "x-api-key": batch[0]?.key ?? "", "content-type": "application/json" },
    body: JSON.stringify({ events: batch.map(({ event }) => event) }),
    signal: deadline ? AbortSignal.any([deadline, timeout]) : timeout,
  }).catch(() => undefined);
  if (!response) return false;
  const answer = (await response.json().catch(() => ({}))) as { rejected?: number; error?: string };
  if (response.status === 429 || response.status >= 500) return false;
  if (!response.ok) logWarning(`capture: ${batch.length} calls refused: ${answer.error ?? response.status}`);
  if (answer.rejected) logWarning(`capture: ${answer.rejected} of ${batch.length} calls rejected`);
  return true;
}
