import type { ComponentChildren } from "preact";
import { getOwnProperty } from "../../../formats/own.ts";
import { TrackerIcon, type TrackerIconName } from "../../parts/drawings.tsx";

const STATES: Readonly<Record<string, [drawing: TrackerIconName, color: string]>> = {
  triage: ["backlog", "c-run"],
  backlog: ["backlog", "dim"],
  unstarted: ["unstarted", "mid"],
  started: ["started", "c-run"],
  completed: ["completed", "c-ok"],
  canceled: ["canceled", "dim"],
  duplicate: ["canceled", "dim"],
};

/** Icon of a workflow state, by type. The fill shows the progress of the issue. */
export function StateIcon({ state: { name, type } }: { state: { name: string; type: string } }) {
  const [drawing, color] = getOwnProperty(STATES, type) ?? ["unstarted", "mid"];
  const review = type === "started" && /review/i.test(name);
  return <TrackerIcon name={review ? "review" : drawing} class={color} />;
}

/** Icon and name of a workflow state. */
export const StateBadge = ({ state }: { state: { name: string; type: string } }) => (
  <span class="row few" title={`${state.name} (${state.type})`}>
    <StateIcon state={state} />
    <bdi class="cut">{state.name}</bdi>
  </span>
);

/** Names of the priorities, indexed by priority. */
export const PRIORITY_NAMES = ["No priority", "Urgent", "High", "Medium", "Low"];
const BARS: readonly TrackerIconName[] = ["none", "urgent", "high", "medium", "low"];

/** Icon of a priority: bars, and a filled square for urgent. */
export const PriorityIcon = ({ priority }: { priority: number }) => (
  <TrackerIcon name={BARS[priority] ?? "none"} class={priority === 1 ? "c-fail" : priority === 0 ? "dim" : "mid"} />
);

/** Icon and name of a priority. */
export const PriorityBadge = ({ priority, label }: { priority: number; label: string }) => (
  <span class={priority === 0 ? "row few dim" : "row few"}>
    <PriorityIcon priority={priority} />
    {label}
  </span>
);

/** Dot in the color of a label. */
export const ColorDot = ({ color }: { color: string }) => (
  <span class="swatch" style={{ background: color }} aria-hidden="true" />
);

/** Color and name of a label, followed by optional children. */
export const LabelBadge = ({
  label: { name, color },
  class: more = "",
  children,
}: {
  label: { name: string; color: string };
  class?: string;
  children?: ComponentChildren;
}) => (
  <span class={`lbls ${more}`} title={name}>
    <ColorDot color={color} />
    <bdi class="cut">{name}</bdi>
    {children}
  </span>
);

/** Returns true if a state of this type closes an issue. */
export const isClosedStateType = (type: string): boolean =>
  type === "completed" || type === "canceled" || type === "duplicate";

/** Name and color class of each verdict. */
export const VERDICT_STYLES = {
  verified: { name: "Verified", color: "c-ok" },
  unproven: { name: "Unproven", color: "mid" },
  contradicted: { name: "Contradicted", color: "c-fail" },
} as const;

const isVerdict = (verdict: string): verdict is keyof typeof VERDICT_STYLES => Object.hasOwn(VERDICT_STYLES, verdict);

/**
 * Icon for the proof verdict of a completed issue. If `named` is true, the name of the verdict is visible; otherwise
 * only screen readers read the name.
 */
export function ProofVerdictBadge({ verdict, named = false }: { verdict: string; named?: boolean }) {
  const known = isVerdict(verdict) ? verdict : "unproven";
  const { name, color } = VERDICT_STYLES[known];
  return (
    <>
      <TrackerIcon name={known} class={color} />
      {named ? <b>{name}</b> : <span class="sr">{name}</span>}
    </>
  );
}
