import { plural } from "./format.ts";
import { Icon } from "./icon.tsx";

/** How something stands: shape, colour and a word. */
export function State({ state, label }: { state: "run" | "ok" | "fail"; label: string }) {
  const icon = { run: "run", ok: "okc", fail: "fail" } as const;
  return (
    <span class={`st ${state}`} title={label}>
      <Icon name={icon[state]} class={state === "run" ? "i-14 ring" : "i-14"} />
      <span class="sr">{label}</span>
    </span>
  );
}

/** How many failed; none is a dash. */
export const Failures = ({ count }: { count: number }) =>
  count === 0 ? (
    <span class="dim">
      <span aria-hidden="true">–</span>
      <span class="sr">no failures</span>
    </span>
  ) : (
    <span class="badge fail">
      <Icon name="fail" />
      {count.toLocaleString()}
      <span class="sr"> failures</span>
    </span>
  );

/** Who: a person round, an agent square. */
export function Avatar({ name, bot = false }: { name: string; bot?: boolean }) {
  const initials = name
    .split(/[\s._@-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => part[0]?.toUpperCase())
    .join("");
  return (
    <span class={bot ? "ava bot" : "ava"} aria-hidden="true">
      {initials || "?"}
    </span>
  );
}

/** The course of a session in small: one rectangle for each stretch of one kind. */
export function Course({ course, live, failures }: { course: string | null; live: boolean; failures: number }) {
  const marks = stretches(course ?? "");
  const label = failures > 0 ? `Course, ${plural(failures, "failure")}` : "Course, nothing failed";
  return (
    <svg class="strip" viewBox="0 0 40 14" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="base" y="6.5" width="40" height="1" />
      {marks.map(({ at, width, mark }) => {
        const shape =
          mark & 4
            ? { class: "f", y: 0, height: 14 }
            : mark & 1
              ? { class: "t", y: 3, height: 8 }
              : { class: "l", y: 5.5, height: 3 };
        return <rect key={at} {...shape} x={at} width={width - 0.25} />;
      })}
      {live && <rect class="r" x="37" y="3" width="3" height="8" />}
    </svg>
  );
}

function stretches(course: string): { at: number; width: number; mark: number }[] {
  const found: { at: number; width: number; mark: number }[] = [];
  for (const [at, digit] of [...course].entries()) {
    const mark = Number(digit);
    const last = found.at(-1);
    if (mark === 0) continue;
    if (last && last.mark === mark && last.at + last.width === at) last.width += 1;
    else found.push({ at, width: 1, mark });
  }
  return found;
}
