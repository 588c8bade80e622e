import { Popover } from "../../../parts/choose/popover.tsx";
import { formatCost, formatDuration, formatPlural } from "../../../parts/texts/format.ts";
import { RedactedText } from "../../../parts/texts/redacted.tsx";
import type { IncreasedToolFigure } from "./differences.ts";
import type { DifferencesSinceYesterday } from "./since.tsx";

interface ListProps {
  anchor: HTMLElement;
  close: () => void;
  found: DifferencesSinceYesterday;
  /** True if more new failures exist than were read. */
  more: boolean;
}

/** Popover that lists the differences since yesterday. */
export default function SinceYesterdayList({ anchor, close, found, more }: ListProps) {
  const { failures, slower, dearer, agents } = found;
  return (
    <Popover anchor={anchor} label="Since yesterday" close={close} class="since-list">
      <Part name={`${formatPlural(failures.length, "new failure")}${more ? " and more" : ""}`}>
        {failures.map(({ id, tool, message, count }) => (
          <a key={id} class="mi two" href={`/failures/${id}`}>
            <span>
              <RedactedText text={message || "(no message)"} plain />
              <small>
                <bdi>{tool}</bdi>, {formatPlural(count, "time")}
              </small>
            </span>
          </a>
        ))}
      </Part>
      <Part name={formatPlural(slower.length, "slower tool")}>
        <Tools tools={slower} says={formatDuration} of="for slow calls, previously" />
      </Part>
      <Part name={formatPlural(dearer.length, "more expensive tool")}>
        <Tools tools={dearer} says={formatCost} of="per session, previously" />
      </Part>
      <Part name={formatPlural(agents.length, "new agent")}>
        {agents.map((name) => (
          <a key={name} class="mi" href={`/sessions?agent=${encodeURIComponent(name)}`}>
            <bdi>{name}</bdi>
          </a>
        ))}
      </Part>
      <p class="pad dim">
        Changes since yesterday, 00:00 UTC. Tools are compared with the previous 7 days, agents with the previous 28
        days.
      </p>
    </Popover>
  );
}

const Part = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <section aria-label={name}>
    <h2>{name}</h2>
    {children}
  </section>
);

interface ToolsProps {
  tools: readonly IncreasedToolFigure[];
  says: (figure: number) => string;
  /**
   * Text between the new figure and the old figure: the unit, and a note that the second figure belongs to the period
   * before.
   */
  of: string;
}

const Tools = ({ tools, says, of }: ToolsProps) => (
  <>
    {tools.map(({ name, now, before }) => (
      <a key={name} class="mi two" href={`/tools/${encodeURIComponent(name)}`}>
        <span>
          <bdi>{name}</bdi>
          <small>
            {says(now)} {of} {says(before)}
          </small>
        </span>
      </a>
    ))}
  </>
);
