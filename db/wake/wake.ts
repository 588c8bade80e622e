/**
 * Says that organizations have new changes in the log. A hint only: a message may be lost, doubled or late, so
 * listeners poll as well. Embedded: in process. PostgreSQL: NOTIFY after the commit, coalesced to one in 20 ms.
 */
export interface Wake {
  /** Call after COMMIT, outside any transaction. Never throws, never waits. */
  publish(organizationId: string): void;
  /** Calls `listener` with the id of each organization published, also by this process. Returns the way to stop. */
  subscribe(listener: (organizationId: string) => void): () => void;
  /**
   * Says that something of an organization was touched that no log tells of. Lossy, and kept from those who follow logs.
   * Many names at once arrive as `*`. Never throws, never waits.
   */
  touch(organizationId: string, name: string): void;
  /** Calls `listener` with each organization and name touched, also by this process. Returns the way to stop. */
  onTouch(listener: (organizationId: string, name: string) => void): () => void;
}
