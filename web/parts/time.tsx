import { signal } from "@preact/signals";
import { ago, exact } from "./format.ts";

/** The time, for what says how long ago something was. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 20_000);

/** How long ago; the full time shows when it is pointed at. */
export function Ago({ at }: { at: string | number }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact(ms)}>
      {ago(ms, Math.max(now.value, Date.now()))}
    </time>
  );
}
