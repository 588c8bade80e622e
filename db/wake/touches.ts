import { startTimeout } from "../../concurrency/timeout.ts";

/** Touched rows, by organization. */
export type Touched = ReadonlyMap<string, ReadonlySet<string>>;

/** Stands for more than can be named. */
export const MANY = "*";
/** Names of one organization that go out together at most. */
const MOST = 20;

/** Gathers what is touched and hands it on at most once an interval: each name once, and of many only that it is many. */
export function gatherTouches(intervalMs: number, send: (touched: Touched) => void) {
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
    else if (!names.has(name)) names.add(MANY);
    if (waiting) return;
    waiting = true;
    startTimeout(intervalMs, flush);
  };
}
