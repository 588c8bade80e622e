/** A finished call of a tool, newest first in lists. `content` is the same for the same tool, input and result. */
export interface Call {
  id: string;
  /** ISO 8601. */
  at: string;
  content: string;
}

/** Calls of a loop: its first, and its last. */
export interface Loop {
  since: string;
  last: string;
}

/** The repeats that make a loop of one call, and of a circle of two or three. */
const TIMES = [5, 4, 4] as const;

/** Calls that are looked at. */
export const CALLS = Math.max(...TIMES.map((times, index) => times * (index + 1)));
/** The newest call of a loop is among them so often. */
export const LEAST = Math.min(...TIMES);

/**
 * The loop that the last calls are in, if they are: one call, or a circle of two or three, again and again with the same
 * input and the same result. A call that is answered differently each time polls, and is none.
 */
export function loopIn(calls: readonly Call[]): Loop | undefined {
  for (const [index, times] of TIMES.entries()) {
    const period = index + 1;
    const some = calls.slice(0, period * times);
    const first = some.at(-1);
    if (!first || !some[0] || some.length < period * times) continue;
    if (some.every((call, at) => at < period || call.content === some[at - period]?.content))
      return { since: first.at, last: some[0].id };
  }
  return undefined;
}
