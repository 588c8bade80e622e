/** Time range within a session, in milliseconds since 1970. */
export interface TimeRange {
  from: number;
  to: number;
}

/** Time range within a session that the user chose. */
export interface ChosenRange extends TimeRange {
  /** True if the user drew the range in the overview. The rows then always scroll to the beginning of the range. */
  brushed?: true;
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000, 2_592_000_000,
];
const TICKS = 7;

/**
 * Returns the tick marks of a time range. `x` is the position in percent. `name` is a round time since the beginning of
 * the session.
 */
export function buildTicks(view: TimeRange, begin: number): { x: number; name: string }[] {
  const span = view.to - view.from;
  const step = STEPS.find((each) => span / each <= TICKS) ?? span / TICKS;
  const first = Math.ceil((view.from - begin) / step) * step;
  const ticks = [];
  for (let at = first; at <= view.to - begin && ticks.length <= 2 * TICKS; at += step) {
    ticks.push({ x: ((at + begin - view.from) / span) * 100, name: label(at) });
  }
  return ticks;
}

function label(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${ms / 1_000} s`;
  if (ms < 3_600_000)
    return ms % 60_000 === 0
      ? `${ms / 60_000} m`
      : `${Math.floor(ms / 60_000)}:${String(Math.round((ms % 60_000) / 1_000)).padStart(2, "0")}`;
  if (ms < 86_400_000)
    return ms % 3_600_000 === 0
      ? `${ms / 3_600_000} h`
      : `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} m`;
  return `${(ms / 86_400_000).toFixed(ms % 86_400_000 === 0 ? 0 : 1)} d`;
}

/**
 * Zooms a time range by a factor and keeps the time `around` at the same position. The result stays within the session.
 */
export function scaleRange(
  view: TimeRange,
  whole: TimeRange,
  factor: number,
  around = (view.from + view.to) / 2,
): TimeRange {
  const span = Math.min(whole.to - whole.from, Math.max(5, (view.to - view.from) * factor));
  const share = (around - view.from) / (view.to - view.from);
  return clampRange({ from: around - share * span, to: around + (1 - share) * span }, whole);
}

/** Moves a time range so that the range lies within the session. Shortens a range that is longer than the session. */
export function clampRange(view: TimeRange, whole: TimeRange): TimeRange {
  const span = Math.min(view.to - view.from, whole.to - whole.from);
  const from = Math.min(Math.max(view.from, whole.from), whole.to - span);
  return { from, to: from + span };
}
