import { unavailable } from "../../errors.ts";

/** The share of one request in the memory set aside for bodies. */
export interface Reservation {
  /** Reserves at least so many bytes in all. @throws unavailable when all is taken. */
  grow(bytes: number): void;
  release(): void;
}

/** Shares out `limit` bytes among the requests in flight; whoever finds nothing left is refused, not queued. */
export function memoryBudget(limit: number): () => Reservation {
  let taken = 0;
  return () => {
    let own = 0;
    return {
      grow(bytes) {
        const more = bytes - own;
        if (more <= 0) return;
        if (taken + more > limit) throw unavailable("Too much is being received at the moment; try again shortly");
        taken += more;
        own = bytes;
      },
      release() {
        taken -= own;
        own = 0;
      },
    };
  };
}
