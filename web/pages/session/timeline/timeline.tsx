import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import type { IconName } from "../../../parts/icons.tsx";
import { Empty } from "../../../parts/states.tsx";
import { plural } from "../../../parts/texts/format.ts";
import { ticking } from "../../../parts/time/time.tsx";
import { useKeys } from "../../../shell/keys.ts";
import { navigate } from "../../../shell/router.ts";
import { Panel } from "../event/panel.tsx";
import { type EventTree, type Kind, rowsOf, type SessionEvent } from "../events.ts";
import { type View, within, type Zoom, zoomed } from "./axis.ts";
import { nextFailure } from "./failures.ts";
import { Find } from "./find.tsx";
import { Overview } from "./map.tsx";
import { useFound } from "./search.ts";
import { Tree } from "./tree.tsx";

interface TimelineProps {
  sessionId: string;
  tree: EventTree;
  /** More of its events are to be read. */
  loading: boolean;
  selected: string | undefined;
}

const KINDS: [kind: Kind, name: string, icon: IconName][] = [
  ["tool", "Tools", "bash"],
  ["llm", "Model", "llm"],
  ["subagent", "Subagents", "sub"],
];

/** The session on its axis of time: tree, waterfall, and the event that is chosen. */
export function Timeline({ sessionId, tree, loading, selected }: TimelineProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [hidden, setHidden] = useState<ReadonlySet<Kind>>(new Set());
  const [text, setText] = useState("");
  const found = useFound(sessionId, text, tree);
  const whole: View = { from: tree.begin, to: tree.open ? Math.max(tree.end, ticking.value) : tree.end };
  const [zoom, setZoom] = useState<Zoom>();
  const view = zoom ? within(zoom, whole) : whole;
  const field = useRef<HTMLInputElement>(null);
  const rows = useMemo(
    () => rowsOf(tree.roots, folded, (event) => !hidden.has(event.kind) && (!found || found.within.has(event.id))),
    [tree, folded, hidden, found],
  );
  const at = useMemo(() => (selected ? rows.findIndex(({ event }) => event.id === selected) : -1), [rows, selected]);
  const current = at >= 0 ? rows[at] : undefined;
  const select = useMemo(
    () => (id: string | undefined) =>
      navigate(id ? `/sessions/${sessionId}/events/${id}` : `/sessions/${sessionId}`, { replace: true }),
    [sessionId],
  );
  const toggle = useMemo(() => (id: string) => setFolded((before) => toggled(before, id)), []);
  const move = (by: number) => {
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) select(next.event.id);
  };
  const toFailure = (by: 1 | -1) => {
    const event = nextFailure(tree, selected, by);
    if (!event) return;
    setFolded((before) => unfoldedTo(before, event));
    select(event.id);
  };
  const chosen = selected ? tree.byId.get(selected) : undefined;
  const missing = selected !== undefined && !chosen && !loading;
  const left = () => {
    if (current && current.event.children.length > 0 && !folded.has(current.event.id)) toggle(current.event.id);
    else if (current?.event.parent) select(current.event.parent.id);
  };
  const right = () => {
    if (current && folded.has(current.event.id)) toggle(current.event.id);
    else if (current && current.event.children.length > 0) move(1);
  };
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    ArrowLeft: left,
    ArrowRight: right,
    Home: () => move(-rows.length),
    End: () => move(rows.length),
    n: () => toFailure(1),
    N: () => toFailure(-1),
    "+": () => setZoom(zoomed(view, whole, 0.5, chosen?.at)),
    "-": () => setZoom(zoomed(view, whole, 2, chosen?.at)),
    "0": () => setZoom(undefined),
    e: () => setFolded(new Set()),
    "/": () => field.current?.focus(),
    Escape: () => select(undefined),
  });
  return (
    <>
      <Overview tree={tree} whole={whole} view={view} show={(part) => setZoom({ ...part, brushed: true })} />
      <Toolbar
        failures={tree.failures.length}
        toFailure={() => toFailure(1)}
        hidden={hidden}
        toggleKind={(kind) => setHidden((before) => toggled(before, kind))}
        zoom={(factor) => setZoom(zoomed(view, whole, factor))}
        fit={() => setZoom(undefined)}
      >
        <Find field={field} text={text} setText={setText} found={found} select={select} />
      </Toolbar>
      <div class={chosen || missing ? "split" : "split alone"}>
        <Tree
          rows={rows}
          view={view}
          begin={tree.begin}
          end={whole.to}
          moved={zoom}
          selected={selected}
          folded={folded}
          select={select}
          toggle={toggle}
          zoom={(factor, around) => setZoom(zoomed(view, whole, factor, around))}
        />
        {chosen && (
          <Panel event={chosen} begin={tree.begin} close={() => select(undefined)} move={move} select={select} />
        )}
        {missing && <NoEvent close={() => select(undefined)} />}
      </div>
    </>
  );
}

interface ToolbarProps {
  /** The number of failed events. */
  failures: number;
  toFailure: () => void;
  hidden: ReadonlySet<Kind>;
  toggleKind: (kind: Kind) => void;
  zoom: (factor: number) => void;
  fit: () => void;
  /** The field that searches the session. */
  children: ComponentChildren;
}

/** Search, failures, the kinds shown, and zoom. */
const Toolbar = ({ failures, toFailure, hidden, toggleKind, zoom, fit, children }: ToolbarProps) => (
  <div class="bar" role="toolbar" aria-label="Timeline">
    {children}
    <button class="btn" type="button" onClick={toFailure} disabled={failures === 0}>
      <Icon name="fail" class="i-14 c-fail" />
      <span>{plural(failures, "failure")}</span>
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

/** The address names an event that is none of this session's. */
const NoEvent = ({ close }: { close: () => void }) => (
  <aside class="panel up" aria-label="Event">
    <Empty icon="search" title="This event is not in the session">
      <p>The address may be mistyped, or the event was deleted.</p>
      <div class="row">
        <button class="btn" type="button" onClick={close}>
          Show the session
        </button>
      </div>
    </Empty>
  </aside>
);

function toggled<T>(before: ReadonlySet<T>, one: T): ReadonlySet<T> {
  const next = new Set(before);
  if (!next.delete(one)) next.add(one);
  return next;
}

/** Nothing folds away what stands above an event. */
function unfoldedTo(before: ReadonlySet<string>, event: SessionEvent): ReadonlySet<string> {
  const next = new Set(before);
  for (let at = event.parent; at; at = at.parent) next.delete(at.id);
  return next;
}
