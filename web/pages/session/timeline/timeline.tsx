import { useMemo, useRef } from "preact/hooks";
import { Missing } from "../../../parts/states.tsx";
import { useKept } from "../../../shell/kept.ts";
import { Panel } from "../event/panel.tsx";
import { type EventTree, type Kind, nextFitting, rowsOf, type SessionEvent } from "../events.ts";
import { Find } from "./find.tsx";
import { useTimelineKeys } from "./keys.ts";
import { Overview } from "./map.tsx";
import { useFound } from "./search.ts";
import { toggled, useFolding, useSelection } from "./selection.ts";
import { Toolbar } from "./toolbar.tsx";
import { Tree } from "./tree.tsx";
import type { Waits } from "./tree-row.tsx";
import { useZoom } from "./zoom.ts";

interface TimelineProps {
  sessionId: string;
  tree: EventTree;
  /** More of its events are to be read. */
  loading: boolean;
  selected: string | undefined;
  /** The event that the session's state is about. */
  waits: Waits | undefined;
}

const NONE: ReadonlySet<Kind> = new Set();

/** The session on its axis of time: tree, waterfall, and the event that is chosen. */
export function Timeline({ sessionId, tree, loading, selected, waits }: TimelineProps) {
  const [hidden, setHidden] = useKept<ReadonlySet<Kind>>(`hidden kinds of ${sessionId}`, NONE);
  const [text, setText] = useKept(`text in ${sessionId}`, "");
  const found = useFound(sessionId, text, tree);
  const zooming = useZoom(sessionId, tree);
  const folding = useFolding(sessionId);
  const field = useRef<HTMLInputElement>(null);
  const rows = useMemo(
    () => rowsOf(tree.roots, folding.folded, ({ id, kind }) => !hidden.has(kind) && (!found || found.within.has(id))),
    [tree, folding.folded, hidden, found],
  );
  const selection = useSelection(sessionId, rows, selected);
  const { select, move } = selection;
  const next = (by: 1 | -1, fits: (event: SessionEvent) => boolean) =>
    nextFitting(
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
  useTimelineKeys({ selection, folding, zooming, event, rows: rows.length, toFailure, find });
  const close = () => select(undefined);
  return (
    <>
      <Overview tree={tree} whole={zooming.whole} view={zooming.view} show={zooming.show} />
      <Toolbar
        failures={tree.failures.length}
        toFailure={() => toFailure(1)}
        hidden={hidden}
        toggleKind={(kind) => setHidden(toggled(hidden, kind))}
        zoom={zooming.zoom}
        fit={zooming.fit}
      >
        <Find field={field} text={text} setText={setText} found={found} step={toMatch} />
      </Toolbar>
      <div class={event || missing ? "split" : "split alone"}>
        <Tree
          rows={rows}
          tree={tree}
          zooming={zooming}
          folding={folding}
          selected={selected}
          select={select}
          waits={waits}
        />
        {event && <Panel event={event} begin={tree.begin} waits={waits} close={close} move={move} select={select} />}
        {missing && <NoEvent close={close} />}
      </div>
    </>
  );
}

/** The address names an event that is none of this session's. */
const NoEvent = ({ close }: { close: () => void }) => (
  <aside class="panel up" aria-label="Event">
    <Missing
      title="This event is not in the session"
      words="The address may be mistyped, or the event was deleted."
      to={{ press: close, name: "Show the session" }}
    />
  </aside>
);
