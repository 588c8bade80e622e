import { DAY_MS } from "../../../formats/time.ts";
import { formatTimeOfDay } from "../texts/format.ts";

/** Maximum number of ticks on an axis, and the steps between ticks in minutes. */
const MOST = 8;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720];
/** Number of ticks on an axis of less than two minutes, which is too short for steps of a minute. */
const PARTS = 5;

const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** Labeled time on an axis. */
export interface TimeTick {
  at: number;
  name: string;
}

/**
 * Returns the ticks of a time range in the reader's time zone: midnights for a long range, hours or minutes for a
 * short range.
 */
export function buildTimeTicks(begin: number, end: number): TimeTick[] {
  const span = end - begin;
  if (span > 2 * DAY_MS) return midnights(begin, end, Math.ceil(span / DAY_MS / MOST));
  const step = STEPS.find((minutes) => span / (minutes * 60_000) <= MOST) ?? 720;
  if (span < 2 * 60_000) {
    return Array.from({ length: PARTS }, (_, n) => begin + (n / PARTS) * span).map((at) => ({
      at,
      name: formatTimeOfDay(at),
    }));
  }
  const from = new Date(begin);
  const ticks: TimeTick[] = [];
  for (let n = 0; ; n += 1) {
    const at = new Date(from.getFullYear(), from.getMonth(), from.getDate(), 0, n * step).getTime();
    if (at > end) return ticks;
    // When the clocks change, the calculation can return the same time twice. Skips the second tick.
    if (at < begin || at <= (ticks.at(-1)?.at ?? 0)) continue;
    const name = formatTimeOfDay(at).slice(0, 5);
    ticks.push({ at, name: name === "00:00" ? day.format(at) : name });
  }
}

function midnights(begin: number, end: number, days: number): TimeTick[] {
  const from = new Date(begin);
  const ticks: TimeTick[] = [];
  for (let n = 0; ; n += 1) {
    const at = new Date(from.getFullYear(), from.getMonth(), from.getDate() + n).getTime();
    if (at > end) return ticks;
    if (at >= begin && n % days === 0) ticks.push({ at, name: day.format(at) });
  }
}
