import type { ComponentChildren } from "preact";
import { Icon } from "../../parts/icon.tsx";
import type { IconName } from "../../parts/icons.tsx";

const STATES: Record<string, [icon: IconName, color: string]> = {
  backlog: ["clock", "dim"],
  unstarted: ["issues", "mid"],
  started: ["prog", "c-run"],
  completed: ["okc", "c-ok"],
  canceled: ["block", "dim"],
  duplicate: ["block", "dim"],
};

/** A workflow state: shape by its type, and its name. */
export function StateMark({ state: { name, type } }: { state: { name: string; type: string } }) {
  const [icon, color] = STATES[type] ?? ["issues", "mid"];
  return (
    <span class="row few" title={`${name} (${type})`}>
      <Icon name={icon} class={`i-14 ${color}`} />
      <bdi class="cut">{name}</bdi>
    </span>
  );
}

/** The priority of an issue. */
export const PriorityMark = ({ priority, label }: { priority: number; label: string }) =>
  priority === 0 ? (
    <span class="dim">
      <span aria-hidden="true">–</span>
      <span class="sr">{label}</span>
    </span>
  ) : (
    <span class="row few">
      <Icon name="hi" class={priority === 1 ? "i-14 c-fail" : "i-14 mid"} />
      {label}
    </span>
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
    <span class="swatch" style={{ background: color }} aria-hidden="true" />
    <bdi class="cut">{name}</bdi>
    {children}
  </span>
);

/** True if a state ends an issue. */
export const isOver = (type: string): boolean => type === "completed" || type === "canceled" || type === "duplicate";
