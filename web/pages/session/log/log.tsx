import { useMemo, useRef } from "preact/hooks";
import { EmptyState } from "../../../parts/states.tsx";
import { useHistoryState } from "../../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { appLocation, navigate, setSearchParameters } from "../../../shell/router.ts";
import { type EventTree, findNextEvent, type SessionEvent } from "../events.ts";
import { useSessionSearch } from "../timeline/search.ts";
import { createFailedFilterToggle, LogBar } from "./bar.tsx";
import { filterEvents, readLogFilter } from "./filter.ts";
import { LogRows } from "./rows.tsx";

/** Flat table of all events of a session, in order of time. The URL contains the filter of the table. */
export function EventLog({ sessionId, tree }: { sessionId: string; tree: EventTree }) {
  const scroll = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const query = appLocation.value.search.toString();
  const filter = useMemo(() => readLogFilter(new URLSearchParams(query)), [query]);
  const found = useSessionSearch(sessionId, filter.text, tree);
  const shown = useMemo(() => filterEvents(tree, filter, found), [tree, filter, found]);
  const hits = useMemo(() => shown.filter(({ id }) => found?.ids.has(id)), [shown, found]);
  const [chosen, select] = useHistoryState(`event in the log of ${sessionId}`, "");
  const selected = useMemo(() => shown.findIndex(({ id }) => id === chosen), [shown, chosen]);
  const to = (event: SessionEvent | undefined) => event && select(event.id);
  const move = (by: number) => to(shown[Math.min(shown.length - 1, Math.max(0, selected + by))]);
  const step = (by: 1 | -1) => to(findNextEvent(shown, selected, by, ({ id }) => found?.ids.has(id) ?? false));
  const toNext = (by: 1 | -1) => (found ? step(by) : to(findNextEvent(shown, selected, by, ({ failed }) => failed)));
  useKeyboardShortcuts({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Home: () => to(shown[0]),
    End: () => to(shown.at(-1)),
    n: () => toNext(1),
    N: () => toNext(-1),
    x: createFailedFilterToggle(filter),
    "/": () => field.current?.focus(),
    Enter: () => chosen && navigate(`/sessions/${sessionId}/events/${chosen}`),
    Escape: () => select(""),
  });
  const position = hits.findIndex(({ id }) => id === chosen) + 1;
  return (
    <>
      <LogBar {...{ field, tree, filter, found, position, step }} matches={hits.length} />
      <div class="scroll" ref={scroll}>
        {shown.length === 0 ? (
          <EmptyState icon="filter" title="No matching events">
            <button class="btn" type="button" onClick={() => setSearchParameters(NOTHING)}>
              Show all events
            </button>
          </EmptyState>
        ) : (
          <table class="tbl log many" role="table" aria-label="Log" aria-rowcount={shown.length + 1}>
            <Heads />
            <LogRows
              sessionId={sessionId}
              events={shown}
              begin={tree.begin}
              selected={selected}
              select={select}
              found={found?.ids}
              scroll={scroll}
            />
          </table>
        )}
      </div>
    </>
  );
}

const NOTHING = { kind: undefined, tool: undefined, failed: undefined, q: undefined, matches: undefined };

const Heads = () => (
  <thead role="rowgroup">
    <tr role="row">
      <th role="columnheader">Time</th>
      <th role="columnheader">Event</th>
      <th role="columnheader" class="what">
        About
      </th>
      <th role="columnheader" class="num">
        Duration
      </th>
      <th role="columnheader">Result</th>
    </tr>
  </thead>
);
