import type { Change } from "./change.ts";

/**
 * A change as every stream sends it: the fields that Linear's webhooks have, `updatedFrom` on updates alone, and
 * `lastSyncId`, which gives the order. Webhooks add `webhookTimestamp` and `webhookId`.
 */
export const envelope = (organizationId: string, change: Change): Record<string, unknown> => ({
  action: change.action,
  type: change.type,
  actor: change.actor,
  createdAt: change.createdAt.toISOString(),
  data: change.data,
  url: change.data["url"] ?? null,
  ...(change.updatedFrom && { updatedFrom: change.updatedFrom }),
  organizationId,
  lastSyncId: change.lastSyncId,
});
