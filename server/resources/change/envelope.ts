/** A change of the log as it is sent: rows as published; or an entry of the audit, which has no number. */
interface Logged {
  lastSyncId: number | null;
  type: string;
  action: string;
  data: Record<string, unknown>;
  updatedFrom: Record<string, unknown> | null;
  actor: Record<string, unknown>;
  createdAt: Date;
}

/**
 * A change as every stream sends it: the fields that Linear's webhooks have, `updatedFrom` on updates alone, and
 * `lastSyncId`, which gives the order. Webhooks add `webhookTimestamp` and `webhookId`.
 */
export const envelope = (organizationId: string, change: Logged): Record<string, unknown> => ({
  action: change.action,
  type: change.type,
  actor: change.actor,
  createdAt: change.createdAt.toISOString(),
  data: change.data,
  url: change.data["url"] ?? null,
  ...(change.updatedFrom && { updatedFrom: change.updatedFrom }),
  organizationId,
  ...(change.lastSyncId !== null && { lastSyncId: change.lastSyncId }),
});
