import { logWarning } from "../log.ts";
import type { QueuedEvent } from "./batch.ts";

const DEADLINE_MS = 10_000;

/**
 * Sends one batch. Events keep their ids, so sending again after a lost answer stores nothing twice.
 * @returns false when it is worth sending again: Trackway was out of reach, busy, or over its limit.
 */
export async function deliver(url: string, batch: QueuedEvent[], deadline?: AbortSignal): Promise<boolean> {
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
