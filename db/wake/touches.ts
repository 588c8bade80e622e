import { startTimeout } from "../../concurrency/timeout.ts";

/** Touched rows, by organization. */
export type Touched = ReadonlyMap<string, ReadonlySet<string>>;

/** Stands for more names than a message contains. */
export const MANY_NAMES = "*";
/** Maximum number of names per organization in one message. */
const MOST = 20;

/**
 * Collects touched names and passes them on at most once per interval, each name once. For many names, passes on only
 * MANY.
 */
export function collectTouches(intervalMs: number, send: (touched: Touched) => void) {
  let gathered = new Map<string, Set<string>>();
  let waiting = false;
  const flush = () => {
    waiting = false;
    const touched = gathered;
    gathered = new Map();
    send(touched);
  };
  return (organizationId: string, name: string): void => {
    const names = gathered.get(organizationId) ?? new Set();
    gathered.set(organizationId, names);
    if (names.size < MOST) names.add(name);
    else if (!names.has(name)) names.add(MANY_NAMES);
    if (waiting) return;
    waiting = true;
    startTimeout(intervalMs, flush);
  };
}
