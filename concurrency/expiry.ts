const INTERVAL_MS = 100;

/** Work with a deadline. */
interface Bounded {
  /** Deadline, as a `performance.now()` value. */
  until: number;
  act(): void;
}

const bounded = new Set<Bounded>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `act` after the given number of milliseconds, or up to 100 ms later. The caller may cancel the deadline first.
 * One timer serves all deadlines, because setting and clearing a timer for each SQL statement costs more than sending
 * the statement.
 * @returns a function that cancels the deadline
 */
export function startDeadline(milliseconds: number, act: () => void): () => void {
  const work = { until: performance.now() + milliseconds, act };
  bounded.add(work);
  timer ??= setInterval(look, INTERVAL_MS).unref();
  return () => void bounded.delete(work);
}

/**
 * Ends the work whose deadline has passed. After a busy or frozen period, Node.js runs timers before the process reads
 * arrived data. `setImmediate` lets the process read the data first.
 */
function look(): void {
  const now = performance.now();
  for (const work of bounded) if (now >= work.until) setImmediate(end, work);
  if (bounded.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

const end = (work: Bounded) => bounded.delete(work) && work.act();
