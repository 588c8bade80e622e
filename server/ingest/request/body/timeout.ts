export interface BodyWatch {
  /** Call when a chunk arrives. */
  beat(): void;
  stop(): void;
}

interface Watched {
  stallMs: number;
  /**
   * `due` is the deadline for the whole body, and `last` is the time at which the last chunk arrived. Both are
   * `performance.now()` values.
   */
  due: number;
  last: number;
  late(): void;
}

const SWEEP_MS = 100;
const watched = new Set<Watched>();
let sweeping = false;

/**
 * Calls `late` if a body pauses or takes too long. One timer checks all bodies: a timer per body would cost more than
 * reading a small body.
 */
export function watchBody({ stallMs, totalMs }: { stallMs: number; totalMs: number }, late: () => void): BodyWatch {
  const now = performance.now();
  const entry: Watched = { stallMs, due: now + totalMs, last: now, late };
  watched.add(entry);
  sweepLater();
  return {
    beat() {
      entry.last = performance.now();
    },
    stop() {
      watched.delete(entry);
    },
  };
}

function sweepLater(): void {
  if (sweeping) return;
  sweeping = true;
  setTimeout(sweep, SWEEP_MS).unref();
}

function sweep(): void {
  const now = performance.now();
  for (const entry of watched) {
    if (now < entry.due && now - entry.last < entry.stallMs) continue;
    watched.delete(entry);
    entry.late();
  }
  sweeping = false;
  if (watched.size > 0) sweepLater();
}
