import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { DAY_MS } from "../../../../formats/time.ts";
import { SinceYesterday, type SinceYesterdayQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { lazyComponent } from "../../../shell/lazy.tsx";
import { appLocation } from "../../../shell/router.ts";
import { findMoreExpensiveTools, findNewAgents, findSlowerTools } from "./differences.ts";

const List = lazyComponent(() => import("./list.tsx"));

/** Returns the times at which yesterday and the two periods for comparison begin. Days begin at midnight, UTC. */
function timesAt(now: number) {
  const yesterday = now - (now % DAY_MS) - DAY_MS;
  const daysBefore = (days: number) => new Date(yesterday - days * DAY_MS).toISOString();
  return { yesterday: daysBefore(0), week: daysBefore(7), month: daysBefore(28) };
}

/** Button that counts the differences since yesterday and opens the list of differences. */
export default function SinceYesterdayButton() {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const times = useMemo(() => timesAt(Date.now()), []);
  const { data } = useQuery(SinceYesterday, times);
  const found = useMemo(() => data && differencesOf(data, times.yesterday), [data]);
  useKeyboardShortcuts({ d: () => setOpen(true) });
  // Closes the list when a link in the list leads to this page with other filters.
  const { entry } = appLocation.value;
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
        aria-label={`${count} new since yesterday`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="clock" class="i-14" />
        {count} <span class="only-wide">new since yesterday</span>
      </button>
      {isOpen && button.current && (
        <List
          anchor={button.current}
          close={close}
          found={found}
          more={data?.recordedFailureGroups.pageInfo.hasNextPage ?? false}
        />
      )}
    </>
  );
}

export type DifferencesSinceYesterday = ReturnType<typeof differencesOf>;

const differencesOf = (data: SinceYesterdayQuery, yesterday: string) => ({
  failures: data.recordedFailureGroups.nodes,
  slower: findSlowerTools(data),
  dearer: findMoreExpensiveTools(data, yesterday),
  agents: findNewAgents(data, yesterday),
});
