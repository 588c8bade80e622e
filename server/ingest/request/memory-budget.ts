import { unavailable } from "../../errors.ts";

/** The share of one request in the memory set aside for bodies. */
export interface Reservation {
  /** Reserves at least so many bytes in all. @throws unavailable when all is taken. */
  grow(bytes: number): void;
  release(): void;
}

/**
 * Shares out bytes among the requests in flight: `limit` to those of each organization, and twice as many to all. So one
 * whose bodies take long leaves room for others. Whoever finds nothing left is refused, not queued.
 */
export function memoryBudget(limit: number): (organizationId: string) => Reservation {
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
          throw unavailable("Too much is being received at the moment; try again shortly");
        add(more);
      },
      release() {
        if (own > 0) add(-own);
      },
    };
  };
}
