import { signal } from "@preact/signals";
import { formatAge, formatAgeProse, formatExactTime } from "../texts/format.ts";

/** Current time in milliseconds, updated every 20 seconds, for ages. */
export const currentTime = signal(Date.now());
setInterval(() => {
  currentTime.value = Date.now();
}, 20_000);

const steady = matchMedia("(prefers-reduced-motion: reduce)");
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Current time in milliseconds for running durations. Updates every second while in use; every 20 seconds if the user
 * prefers reduced motion.
 */
export const tickingTime = signal(Date.now(), {
  watched() {
    this.value = Date.now();
    timer = setInterval(() => (tickingTime.value = Date.now()), steady.matches ? 20_000 : 1_000);
  },
  unwatched: () => clearInterval(timer),
});

/** Age, for a column or a sentence, with the full time as a tooltip. */
export function Age({ at, prose = false }: { at: string | number; prose?: boolean }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const words = prose ? formatAgeProse : formatAge;
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatExactTime(ms)}>
      {words(ms, Math.max(currentTime.value, Date.now()))}
    </time>
  );
}
