import { unavailable } from "../../errors.ts";

/** Memory that a request reserves for the body. */
export interface Reservation {
  /** Reserves at least `bytes` in total. @throws unavailable when no memory is left */
  grow(bytes: number): void;
  release(): void;
}

/**
 * Divides memory between concurrent requests: `limit` bytes for each organization, and twice the limit for all. An
 * organization whose bodies take long therefore leaves memory for others. Requests without memory left are rejected,
 * not queued.
 */
export function createMemoryBudget(limit: number): (organizationId: string) => Reservation {
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
