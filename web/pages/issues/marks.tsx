import type { ComponentChildren } from "preact";
import { readOwn } from "../../../formats/own.ts";
import { Drawing, type DrawingName } from "../../parts/drawings.tsx";

const STATES: Readonly<Record<string, [drawing: DrawingName, color: string]>> = {
  triage: ["backlog", "c-run"],
  backlog: ["backlog", "dim"],
  unstarted: ["unstarted", "mid"],
  started: ["started", "c-run"],
  completed: ["completed", "c-ok"],
  canceled: ["canceled", "dim"],
  duplicate: ["canceled", "dim"],
};

/** The type of a state as a drawing: how far an issue is by its fill. */
export function StateIcon({ state: { name, type } }: { state: { name: string; type: string } }) {
  const [drawing, color] = readOwn(STATES, type) ?? ["unstarted", "mid"];
  const review = type === "started" && /review/i.test(name);
  return <Drawing name={review ? "review" : drawing} class={color} />;
}

/** A workflow state: shape by its type, and its name. */
export const StateMark = ({ state }: { state: { name: string; type: string } }) => (
  <span class="row few" title={`${state.name} (${state.type})`}>
    <StateIcon state={state} />
    <bdi class="cut">{state.name}</bdi>
  </span>
);

/** The names of priorities, 0 first. */
export const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"];
const BARS: readonly DrawingName[] = ["none", "urgent", "high", "medium", "low"];

/** A priority as a drawing: bars, and a filled square for urgent. */
export const PriorityIcon = ({ priority }: { priority: number }) => (
  <Drawing name={BARS[priority] ?? "none"} class={priority === 1 ? "c-fail" : priority === 0 ? "dim" : "mid"} />
);

/** The priority of an issue. */
export const PriorityMark = ({ priority, label }: { priority: number; label: string }) => (
  <span class={priority === 0 ? "row few dim" : "row few"}>
    <PriorityIcon priority={priority} />
    {label}
  </span>
);

/** The colour of a label, as a dot. */
export const Swatch = ({ color }: { color: string }) => (
  <span class="swatch" style={{ background: color }} aria-hidden="true" />
);

/** A label: its colour and its name, with more behind it where given. */
export const LabelMark = ({
  label: { name, color },
  class: more = "",
  children,
}: {
  label: { name: string; color: string };
  class?: string;
  children?: ComponentChildren;
}) => (
  <span class={`lbls ${more}`} title={name}>
    <Swatch color={color} />
    <bdi class="cut">{name}</bdi>
    {children}
  </span>
);

/** True if a state ends an issue. */
export const isOver = (type: string): boolean => type === "completed" || type === "canceled" || type === "duplicate";

/** The verdicts, each with its name and the colour class of its shield. */
export const VERDICTS = {
  verified: { name: "Verified", color: "c-ok" },
  unproven: { name: "Unproven", color: "mid" },
  contradicted: { name: "Contradicted", color: "c-fail" },
} as const;

const isVerdict = (verdict: string): verdict is keyof typeof VERDICTS => Object.hasOwn(VERDICTS, verdict);

/** The verdict of the record on a completed issue: its shield, with its name beside it or for screen readers alone. */
export function ProofMark({ verdict, named = false }: { verdict: string; named?: boolean }) {
  const known = isVerdict(verdict) ? verdict : "unproven";
  const { name, color } = VERDICTS[known];
  return (
    <>
      <Drawing name={known} class={color} />
      {named ? <b>{name}</b> : <span class="sr">{name}</span>}
    </>
  );
}
