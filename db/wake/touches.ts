import { startTimeout } from "../../concurrency/timeout.ts";

/** Touched rows, by organization. */
export type TouchedNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Name that stands for all further names, if an organization has more names than a message contains. */
export const MANY_NAMES = "*";
/** Maximum number of names per organization in one message. */
const MOST = 20;

/**
 * Collects touched names and passes each name on once, at most once per interval. If an organization has more than
 * `MOST` names, passes on the first `MOST` names and `MANY_NAMES`.
 */
export function createTouchCollector(intervalMs: number, send: (touched: TouchedNames) => void) {
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
