import { signal } from "@preact/signals";
import { ago, agoProse, exact } from "../texts/format.ts";

/** The time, for what says how long ago something was. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 20_000);

const steady = matchMedia("(prefers-reduced-motion: reduce)");
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, for what goes on: it ticks while something shows it, seldom for who wants little to move. */
export const ticking = signal(Date.now(), {
  watched() {
    this.value = Date.now();
    timer = setInterval(() => (ticking.value = Date.now()), steady.matches ? 20_000 : 1_000);
  },
  unwatched: () => clearInterval(timer),
});

/** The age, in a column or within a sentence; the full time shows as a tooltip. */
export function Ago({ at, prose = false }: { at: string | number; prose?: boolean }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const words = prose ? agoProse : ago;
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact(ms)}>
      {words(ms, Math.max(now.value, Date.now()))}
    </time>
  );
}
