const INTERVAL_MS = 100;

/** Work whose time is bounded. */
interface Bounded {
  /** When its time is over, by `performance.now()`. */
  until: number;
  act(): void;
}

const bounded = new Set<Bounded>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `act` after so many milliseconds, up to a tenth of a second late, unless cancelled before. One timer looks after all
 * such work: setting and clearing one for each statement costs more than sending it.
 * @returns the way to cancel
 */
export function startDeadline(milliseconds: number, act: () => void): () => void {
  const work = { until: performance.now() + milliseconds, act };
  bounded.add(work);
  timer ??= setInterval(look, INTERVAL_MS).unref();
  return () => void bounded.delete(work);
}

/** A process that was busy or frozen runs its timers before it reads what arrived meanwhile: it reads first. */
function look(): void {
  const now = performance.now();
  for (const work of bounded) if (now >= work.until) setImmediate(end, work);
  if (bounded.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

const end = (work: Bounded) => bounded.delete(work) && work.act();
