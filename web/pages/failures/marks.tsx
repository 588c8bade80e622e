import { getOwnProperty } from "../../../formats/own.ts";
import type { FailuresQuery } from "../../data/documents.ts";
import { PathIcon } from "../../parts/icon.tsx";
import { formatPlural } from "../../parts/texts/format.ts";

/** Failure group as read for the list. */
export type FailureGroup = FailuresQuery["recordedFailureGroups"]["nodes"][number];
export type FailureGroupState = "new" | "back" | "ongoing" | "filed" | "ignored";

/** Name, icon path and color class of each state, in display order. */
export const FAILURE_STATE_STYLES: Record<FailureGroupState, [name: string, drawing: string, className: string]> = {
  new: ["New", "M8 2v12M2 8h12M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4", "c-fail"],
  back: ["Back", "M6 3 2.5 6.5 6 10M2.8 6.5h6.7a3.7 3.7 0 0 1 0 7.4H6", "c-fail"],
  ongoing: ["Ongoing", "M1.8 8c1.2-3 2.8-3 4.1 0s2.9 3 4.2 0 2.9-3 4.1 0", ""],
  filed: ["Filed", "M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0zM8 4.8v3.6M8 11v.1", ""],
  ignored: ["Ignored", "M2 8s2.2-3.8 6-3.8S14 8 14 8s-2.2 3.8-6 3.8S2 8 2 8zM2.8 13.2 13.2 2.8", ""],
};

/** State of a failure group: icon, color and name. */
export function FailureStateBadge({ state }: { state: string }) {
  const [name, drawing, className] = getOwnProperty(FAILURE_STATE_STYLES, state) ?? [state, "", ""];
  return (
    <span class={`failure-state ${className}`}>
      <PathIcon d={drawing} class="i-14" />
      {name}
    </span>
  );
}

const [HEIGHT, GAP, DAY_MS] = [22, 0.15, 86_400_000];

interface DaysProps {
  days: readonly { day: string; count: number }[];
  /** Number of days that are drawn, until today. */
  shown: number;
  /** True for a group that is new or back. */
  recent: boolean;
  class?: string;
}

/** Chart of a group's failures per day. The last day is today, in UTC. */
export function DailyFailuresChart({ days, shown, recent, class: more = "" }: DaysProps) {
  const today = Math.floor(Date.now() / DAY_MS);
  const counts = new Array<number>(shown).fill(0);
  for (const { day, count } of days) {
    const at = shown - 1 - (today - Math.floor(Date.parse(day) / DAY_MS));
    if (at >= 0 && at < shown) counts[at] = count;
  }
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const bars = counts.map((count, at) => {
    const height = count === 0 ? 0 : Math.max(2, ((HEIGHT - 2) * count) / most);
    return height && `M${at + GAP} ${HEIGHT - 1}v${-height.toFixed(1)}h${1 - 2 * GAP}v${height.toFixed(1)}z`;
  });
  return (
    <svg
      class={`days ${more}`}
      viewBox={`0 0 ${shown} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${formatPlural(total, "failure")} in ${shown} days, ${counts.at(-1)} today`}
    >
      <path class="base" d={`M0 ${HEIGHT - 0.5}H${shown}`} />
      <path class={recent ? "bar c-fail" : "bar"} d={bars.filter(Boolean).join("")} />
    </svg>
  );
}
