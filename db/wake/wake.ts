/**
 * Says that organizations have news in the log. A hint, never the truth: a message may be lost, doubled or late,
 * so whoever listens also polls. Embedded: in process. PostgreSQL: NOTIFY after the commit, coalesced to one in 20 ms.
 */
export interface Wake {
  /** Call after COMMIT, outside any transaction. Never throws, never waits. */
  publish(organizationId: string): void;
  /** Calls `listener` with each organization id heard of, also from this process. Returns the way to stop. */
  subscribe(listener: (organizationId: string) => void): () => void;
}
