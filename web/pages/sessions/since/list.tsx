import { Popover } from "../../../parts/choose/popover.tsx";
import { duration, money, plural } from "../../../parts/texts/format.ts";
import { Redacted } from "../../../parts/texts/redacted.tsx";
import type { Risen } from "./differences.ts";
import type { Found } from "./since.tsx";

interface ListProps {
  anchor: HTMLElement;
  close: () => void;
  found: Found;
  /** True if there are more new failures than are read. */
  more: boolean;
}

/** The list of what differs, beside its button. */
export default function List({ anchor, close, found, more }: ListProps) {
  const { failures, slower, dearer, agents } = found;
  return (
    <Popover anchor={anchor} label="Since yesterday" close={close} class="since-list">
      <Part name={`${plural(failures.length, "new failure")}${more ? " and more" : ""}`}>
        {failures.map(({ id, tool, message, count }) => (
          <a key={id} class="mi two" href={`/failures/${id}`}>
            <span>
              <Redacted text={message || "(no message)"} plain />
              <small>
                <bdi>{tool}</bdi>, {plural(count, "time")}
              </small>
            </span>
          </a>
        ))}
      </Part>
      <Part name={plural(slower.length, "slower tool")}>
        <Tools tools={slower} says={duration} of="of slow calls, before" />
      </Part>
      <Part name={plural(dearer.length, "dearer tool")}>
        <Tools tools={dearer} says={money} of="a session, before" />
      </Part>
      <Part name={plural(agents.length, "new agent")}>
        {agents.map((name) => (
          <a key={name} class="mi" href={`/sessions?agent=${encodeURIComponent(name)}`}>
            <bdi>{name}</bdi>
          </a>
        ))}
      </Part>
      <p class="pad dim">Since yesterday, 0:00 UTC. Tools are compared with the seven days before, agents with 28.</p>
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
  tools: readonly Risen[];
  says: (figure: number) => string;
  /** The unit, and that the second figure is of the time before. */
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
