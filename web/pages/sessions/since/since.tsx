import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { SinceYesterday, type SinceYesterdayQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Popover } from "../../../parts/choose/popover.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { duration, money, plural } from "../../../parts/texts/format.ts";
import { Redacted } from "../../../parts/texts/redacted.tsx";
import { useKeys } from "../../../shell/keys.ts";
import { place } from "../../../shell/router.ts";
import { dearerTools, newAgents, type Risen, slowerTools } from "./differences.ts";

const DAY_MS = 86_400_000;

/** The beginning of yesterday, and of the times that it is compared with; days begin at midnight, UTC. */
function timesAt(now: number) {
  const yesterday = now - (now % DAY_MS) - DAY_MS;
  const daysBefore = (days: number) => new Date(yesterday - days * DAY_MS).toISOString();
  return { yesterday: daysBefore(0), week: daysBefore(7), month: daysBefore(28) };
}

/** The differences since yesterday from the time before: a button that counts them, and opens the list. */
export default function Since() {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const times = useMemo(() => timesAt(Date.now()), []);
  const { data } = useQuery(SinceYesterday, times);
  const found = useMemo(() => data && differencesOf(data, times.yesterday), [data]);
  useKeys({ d: () => setOpen(true) });
  // A link of the list may lead to this page with other filters.
  const { entry } = place.value;
  useEffect(close, [entry]);
  if (!found) return null;
  const { failures, slower, dearer, agents } = found;
  const count = failures.length + slower.length + dearer.length + agents.length;
  return (
    <>
      <button
        class="btn quiet since"
        type="button"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="clock" class="i-14" />
        <span>
          {count === 0 ? "Nothing new" : `${count} new`} <span class="only-wide">since yesterday</span>
        </span>
      </button>
      {isOpen && button.current && (
        <Popover anchor={button.current} label="Since yesterday" close={close} class="since-list">
          <Differences found={found} more={data?.recordedFailureGroups.pageInfo.hasNextPage ?? false} />
        </Popover>
      )}
    </>
  );
}

const differencesOf = (data: SinceYesterdayQuery, yesterday: string) => ({
  failures: data.recordedFailureGroups.nodes,
  slower: slowerTools(data),
  dearer: dearerTools(data, yesterday),
  agents: newAgents(data, yesterday),
});

function Differences({ found, more }: { found: ReturnType<typeof differencesOf>; more: boolean }) {
  const { failures, slower, dearer, agents } = found;
  return (
    <>
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
    </>
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
