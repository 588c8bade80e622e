/**
 * A change as the change log stores the change, with rows as clients receive them. An audit entry has the same form,
 * but no number.
 */
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
 * Returns the message that all streams send for a change. The message has the fields of Linear's webhooks,
 * `updatedFrom` only for updates, and `lastSyncId`, which gives the order of changes. Webhooks add `webhookTimestamp`
 * and `webhookId`.
 */
export const createChangeEnvelope = (organizationId: string, change: Logged): Record<string, unknown> => ({
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
