import { DAY_MS } from "../../../formats/time.ts";
import { clock } from "../texts/format.ts";

/** Ticks that an axis holds at most, and the minutes between two of them. */
const MOST = 8;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720];
/** Parts of an axis so short that no minute divides it. */
const PARTS = 5;

const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** A moment that an axis names. */
export interface Tick {
  at: number;
  name: string;
}

/** Round moments of a time, by the reader's clock: midnights of a long one, of a short one hours or minutes. */
export function ticksOf(begin: number, end: number): Tick[] {
  const span = end - begin;
  if (span > 2 * DAY_MS) return midnights(begin, end, Math.ceil(span / DAY_MS / MOST));
  const step = STEPS.find((minutes) => span / (minutes * 60_000) <= MOST) ?? 720;
  if (span < 2 * 60_000) {
    return Array.from({ length: PARTS }, (_, n) => begin + (n / PARTS) * span).map((at) => ({ at, name: clock(at) }));
  }
  const from = new Date(begin);
  const ticks: Tick[] = [];
  for (let n = 0; ; n += 1) {
    const at = new Date(from.getFullYear(), from.getMonth(), from.getDate(), 0, n * step).getTime();
    if (at > end) return ticks;
    // An hour that the clocks skip or repeat stands once.
    if (at < begin || at <= (ticks.at(-1)?.at ?? 0)) continue;
    const name = clock(at).slice(0, 5);
    ticks.push({ at, name: name === "00:00" ? day.format(at) : name });
  }
}

function midnights(begin: number, end: number, days: number): Tick[] {
  const from = new Date(begin);
  const ticks: Tick[] = [];
  for (let n = 0; ; n += 1) {
    const at = new Date(from.getFullYear(), from.getMonth(), from.getDate() + n).getTime();
    if (at > end) return ticks;
    if (at >= begin && n % days === 0) ticks.push({ at, name: day.format(at) });
  }
}
