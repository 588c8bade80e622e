import { signal } from "@preact/signals";
import { formatAge, formatAgeInSentence, formatExactTime } from "../texts/format.ts";

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

/**
 * Shows how long ago a time was, in a short form for a column or in words for a sentence. A tooltip shows the exact
 * time.
 */
export function Age({ at, prose = false }: { at: string | number; prose?: boolean }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const words = prose ? formatAgeInSentence : formatAge;
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatExactTime(ms)}>
      {words(ms, Math.max(currentTime.value, Date.now()))}
    </time>
  );
}
