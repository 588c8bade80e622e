import { signal } from "@preact/signals";
import { ago, exact } from "./format.ts";

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

/** How long ago; the full time shows when it is pointed at. */
export function Ago({ at }: { at: string | number }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact(ms)}>
      {ago(ms, Math.max(now.value, Date.now()))}
    </time>
  );
}
