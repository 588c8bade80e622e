import { useMemo, useRef } from "preact/hooks";
import { NotFoundMessage } from "../../../parts/states.tsx";
import { useHistoryState } from "../../../shell/kept.ts";
import { EventPanel } from "../event/panel.tsx";
import { type EventKind, type EventTree, findNextEvent, listVisibleRows, type SessionEvent } from "../events.ts";
import { SessionSearchField } from "./find.tsx";
import { useTimelineShortcuts } from "./keys.ts";
import { SessionOverview } from "./map.tsx";
import { useSessionSearch } from "./search.ts";
import { toggleMember, useCollapsedEvents, useEventSelection } from "./selection.ts";
import { TimelineToolbar } from "./toolbar.tsx";
import { EventTreeView } from "./tree.tsx";
import type { WaitingEvent } from "./tree-row.tsx";
import { useTimelineZoom } from "./zoom.ts";

interface TimelineProps {
  sessionId: string;
  tree: EventTree;
  /** True while further events are read. */
  loading: boolean;
  selected: string | undefined;
  /** Event that the session's state refers to, such as a call that waits for permission. */
  waits: WaitingEvent | undefined;
}

const NONE: ReadonlySet<EventKind> = new Set();

/** Timeline of a session: tree, waterfall, and the panel of the selected event. */
export function SessionTimeline({ sessionId, tree, loading, selected, waits }: TimelineProps) {
  const [hidden, setHidden] = useHistoryState<ReadonlySet<EventKind>>(`hidden kinds of ${sessionId}`, NONE);
  const [text, setText] = useHistoryState(`text in ${sessionId}`, "");
  const found = useSessionSearch(sessionId, text, tree);
  const zooming = useTimelineZoom(sessionId, tree);
  const folding = useCollapsedEvents(sessionId);
  const field = useRef<HTMLInputElement>(null);
  const rows = useMemo(
    () =>
      listVisibleRows(
        tree.roots,
        folding.folded,
        ({ id, kind }) => !hidden.has(kind) && (!found || found.within.has(id)),
      ),
    [tree, folding.folded, hidden, found],
  );
  const selection = useEventSelection(sessionId, rows, selected);
  const { select, move } = selection;
  const next = (by: 1 | -1, fits: (event: SessionEvent) => boolean) =>
    findNextEvent(
      tree.all,
      tree.all.findIndex(({ id }) => id === selected),
      by,
      fits,
    );
  const toFailure = (by: 1 | -1) => {
    const failure = next(by, ({ failed }) => failed);
    if (!failure) return;
    folding.unfoldTo(failure);
    select(failure.id);
  };
  const toMatch = (by: 1 | -1) => {
    field.current?.blur();
    const match = next(by, ({ id }) => found?.ids.has(id) ?? false);
    if (match) select(match.id);
  };
  const event = selected ? tree.byId.get(selected) : undefined;
  const missing = selected !== undefined && !event && !loading;
  const find = () => field.current?.focus();
  useTimelineShortcuts({ selection, folding, zooming, event, rows: rows.length, toFailure, find });
  const close = () => select(undefined);
  return (
    <>
      <SessionOverview tree={tree} whole={zooming.whole} view={zooming.view} show={zooming.show} />
      <TimelineToolbar
        failures={tree.failures.length}
        toFailure={() => toFailure(1)}
        hidden={hidden}
        toggleKind={(kind) => setHidden(toggleMember(hidden, kind))}
        zoom={zooming.zoom}
        fit={zooming.fit}
      >
        <SessionSearchField field={field} text={text} setText={setText} found={found} step={toMatch} />
      </TimelineToolbar>
      <div class={event || missing ? "split" : "split alone"}>
        <EventTreeView
          rows={rows}
          tree={tree}
          zooming={zooming}
          folding={folding}
          selected={selected}
          select={select}
          waits={waits}
        />
        {event && (
          <EventPanel event={event} begin={tree.begin} waits={waits} close={close} move={move} select={select} />
        )}
        {missing && <NoEvent close={close} />}
      </div>
    </>
  );
}

/** Panel for a URL that contains the id of an event that is not in the session. */
const NoEvent = ({ close }: { close: () => void }) => (
  <aside class="panel up" aria-label="Event">
    <NotFoundMessage
      title="Event not found"
      words="The session does not contain this event. The address may be mistyped, or the event may have been deleted."
      to={{ press: close, name: "Show the session" }}
    />
  </aside>
);
