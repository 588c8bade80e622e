import type { ComponentChildren } from "preact";
import { Icon } from "../../../parts/icon.tsx";
import type { IconName } from "../../../parts/icons.tsx";
import { formatPlural } from "../../../parts/texts/format.ts";
import type { EventKind } from "../events.ts";

const KINDS: [kind: EventKind, name: string, icon: IconName][] = [
  ["tool", "Tools", "bash"],
  ["llm", "Model", "llm"],
  ["subagent", "Subagents", "sub"],
];

interface ToolbarProps {
  /** Number of failed events. */
  failures: number;
  toFailure: () => void;
  hidden: ReadonlySet<EventKind>;
  toggleKind: (kind: EventKind) => void;
  zoom: (factor: number) => void;
  fit: () => void;
  /** Search field of the session. */
  children: ComponentChildren;
}

/** Toolbar of the timeline: search, failures, kinds of events, and zoom. */
export const TimelineToolbar = ({ failures, toFailure, hidden, toggleKind, zoom, fit, children }: ToolbarProps) => (
  <div class="bar" role="toolbar" aria-label="Timeline">
    {children}
    <button class="btn" type="button" onClick={toFailure} disabled={failures === 0}>
      <Icon name="fail" class="i-14 c-fail" />
      <span>{formatPlural(failures, "failure")}</span>
      <kbd class="only-wide">N</kbd>
    </button>
    <span class="seg only-wide" role="group" aria-label="Kinds shown">
      {KINDS.map(([kind, name, icon]) => (
        <button key={kind} type="button" aria-pressed={!hidden.has(kind)} onClick={() => toggleKind(kind)}>
          <Icon name={icon} class="i-14" />
          {name}
        </button>
      ))}
    </span>
    <span class="acts">
      <button class="btn quiet sq only-wide" type="button" aria-label="Zoom out" onClick={() => zoom(2)}>
        <Icon name="minus" class="i-14" />
      </button>
      <button class="btn quiet sq only-wide" type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
        <Icon name="plus" class="i-14" />
      </button>
      <button class="btn quiet" type="button" onClick={fit}>
        <Icon name="fit" class="i-14" />
        Fit
      </button>
    </span>
  </div>
);
