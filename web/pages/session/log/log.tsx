import { useMemo, useRef } from "preact/hooks";
import { Empty } from "../../../parts/states.tsx";
import { useKept } from "../../../shell/kept.ts";
import { useKeys } from "../../../shell/keys.ts";
import { navigate, place, setSearch } from "../../../shell/router.ts";
import { type EventTree, nextFitting, type SessionEvent } from "../events.ts";
import { useFound } from "../timeline/search.ts";
import { Bar, toggleFailed } from "./bar.tsx";
import { logFilterOf, shownOf } from "./filter.ts";
import { Rows } from "./rows.tsx";

/** Every event in a flat table, in order of time; its conditions stand in the address. */
export function Log({ sessionId, tree }: { sessionId: string; tree: EventTree }) {
  const scroll = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const query = place.value.search.toString();
  const filter = useMemo(() => logFilterOf(new URLSearchParams(query)), [query]);
  const found = useFound(sessionId, filter.text, tree);
  const shown = useMemo(() => shownOf(tree, filter, found), [tree, filter, found]);
  const hits = useMemo(() => shown.filter(({ id }) => found?.ids.has(id)), [shown, found]);
  const [chosen, select] = useKept(`event in the log of ${sessionId}`, "");
  const selected = useMemo(() => shown.findIndex(({ id }) => id === chosen), [shown, chosen]);
  const to = (event: SessionEvent | undefined) => event && select(event.id);
  const move = (by: number) => to(shown[Math.min(shown.length - 1, Math.max(0, selected + by))]);
  const step = (by: 1 | -1) => to(nextFitting(shown, selected, by, ({ id }) => found?.ids.has(id) ?? false));
  const toNext = (by: 1 | -1) => (found ? step(by) : to(nextFitting(shown, selected, by, ({ failed }) => failed)));
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Home: () => to(shown[0]),
    End: () => to(shown.at(-1)),
    n: () => toNext(1),
    N: () => toNext(-1),
    x: toggleFailed(filter),
    "/": () => field.current?.focus(),
    Enter: () => chosen && navigate(`/sessions/${sessionId}/events/${chosen}`),
    Escape: () => select(""),
  });
  const position = hits.findIndex(({ id }) => id === chosen) + 1;
  return (
    <>
      <Bar {...{ field, tree, filter, found, position, step }} matches={hits.length} />
      <div class="scroll" ref={scroll}>
        {shown.length === 0 ? (
          <Empty icon="filter" title="No event fits">
            <button class="btn" type="button" onClick={() => setSearch(NOTHING)}>
              Show all events
            </button>
          </Empty>
        ) : (
          <table class="tbl log many" role="table" aria-label="Log" aria-rowcount={shown.length + 1}>
            <Heads />
            <Rows
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
