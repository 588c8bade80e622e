import { Icon } from "./icon.tsx";
import { formatPlural } from "./texts/format.ts";

/** Icon of each state. */
const MARKS = { run: "run", ok: "okc", fail: "fail" } as const;

/** Icon of a state: shape, color, and a label for screen readers. */
export function StatusIcon({ state, label }: { state: "run" | "ok" | "fail"; label: string }) {
  return (
    <span class={`st ${state}`} role="img" aria-label={label} title={label}>
      <Icon name={MARKS[state]} class={state === "run" ? "i-14 ring" : "i-14"} />
    </span>
  );
}

/** Number of failures; a dash for none. */
export const FailureCount = ({ count }: { count: number }) =>
  count === 0 ? (
    <span class="dim" role="img" aria-label="no failures">
      –
    </span>
  ) : (
    <span class="badge fail">
      <Icon name="fail" />
      {count.toLocaleString()}
      <span class="sr"> failures</span>
    </span>
  );

/** Avatar of a user (round) or an agent (square). */
export function Avatar({ name, bot = false }: { name: string; bot?: boolean }) {
  const initials = name
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map(([first]) => first?.toUpperCase())
    .join("");
  return (
    <span class={bot ? "ava bot" : "ava"} aria-hidden="true">
      {initials || "?"}
    </span>
  );
}

/**
 * Shape of each kind of activity. Consecutive intervals with the same activity form one stretch, and one path draws all
 * stretches of a kind.
 */
const DRAWN: [className: string, fits: (mark: number) => boolean, y: number, height: number][] = [
  ["l", (mark) => !(mark & 5), 5.5, 3],
  ["t", (mark) => (mark & 5) === 1, 3, 8],
  ["f", (mark) => Boolean(mark & 4), 0, 14],
];

/** Activity chart of a session. Consecutive intervals with the same activity are drawn as one rectangle. */
export function ActivityChart({ course, live, failures }: { course: string | null; live: boolean; failures: number }) {
  const marks = splitIntoStretches(course ?? "");
  const label = failures > 0 ? `Activity, ${formatPlural(failures, "failure")}` : "Activity, no failures";
  return (
    <svg class="strip" viewBox="0 0 40 14" preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="base" d="M0 6.5h40v1h-40z" />
      {DRAWN.map(([name, fits, y, height]) => {
        const own = marks.filter(({ mark }) => fits(mark));
        const d = own.map(({ at, width }) => `M${at} ${y}h${width - 0.25}v${height}h${0.25 - width}z`).join("");
        return d && <path key={name} class={name} d={d} />;
      })}
      {live && <path class="r" d="M37 3h3v8h-3z" />}
    </svg>
  );
}

function splitIntoStretches(course: string): { at: number; width: number; mark: number }[] {
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

/** Badge with a count in the sidebar: at most “99+”, with an optional word. Renders nothing if the count is 0. */
export const CountBadge = ({ of: [count, word = ""] }: { of: [count: number, word?: string] }) =>
  count > 0 && <span class="n">{`${count < 100 ? count : "99+"} ${word}`.trim()}</span>;
