import { unavailable } from "../../errors.ts";

/** Memory that a request reserves for the body. */
export interface MemoryReservation {
  /** Increases the reservation to at least `bytes`. @throws unavailable when no memory is left */
  grow(bytes: number): void;
  release(): void;
}

/**
 * Limits the memory for the bodies of concurrent requests: `limit` bytes for each organization, and twice as much for
 * all organizations together. Slow bodies of one organization therefore leave memory for the others. If no memory is
 * left, a request is rejected and does not wait.
 */
export function createMemoryBudget(limit: number): (organizationId: string) => MemoryReservation {
  const each = new Map<string, number>();
  let taken = 0;
  return (organizationId) => {
    let own = 0;
    const add = (more: number) => {
      taken += more;
      own += more;
      const sum = (each.get(organizationId) ?? 0) + more;
      if (sum === 0) each.delete(organizationId);
      else each.set(organizationId, sum);
    };
    return {
      grow(bytes) {
        const more = bytes - own;
        if (more <= 0) return;
        if ((each.get(organizationId) ?? 0) + more > limit || taken + more > 2 * limit)
          throw unavailable("The server is receiving too much data at the moment; try again shortly");
        add(more);
      },
      release() {
        if (own > 0) add(-own);
      },
    };
  };
}
