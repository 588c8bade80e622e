/** A change as stored in the log, with rows in published form; or an audit entry, which has no number. */
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
 * Returns a change in the form of every stream: the fields of Linear's webhooks, `updatedFrom` only on updates, and
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
