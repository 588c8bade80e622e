import { useMemo, useRef } from "preact/hooks";
import { formatPlural, formatTimeOffset } from "../../../parts/texts/format.ts";
import type { EventTree, SessionEvent } from "../events.ts";
import type { TimeRange } from "./axis.ts";

/**
 * Number of columns of the overview. The overview combines the events in a column, so that thousands of events become a
 * few shapes.
 */
const COLUMNS = 600;

const LANES: [className: string, y: number, height: number, of: (event: SessionEvent) => boolean][] = [
  ["m-turn", 1, 2, ({ kind }) => kind === "turn"],
  ["m-llm", 8, 3, ({ kind, failed }) => kind === "llm" && !failed],
  ["m-tool", 12, 6, ({ kind, failed }) => kind === "tool" && !failed],
  ["m-subagent", 19, 3, ({ kind, failed }) => kind === "subagent" && !failed],
  ["m-fail", 11, 10, ({ failed }) => failed],
];

interface MapProps {
  tree: EventTree;
  /** Time range of the whole session. The range of a session with an open event ends now. */
  whole: TimeRange;
  view: TimeRange;
  show: (view: TimeRange) => void;
}

/** Overview of the whole session that marks the visible time range. Dragging selects another time range. */
export function SessionOverview({ tree, whole, view, show }: MapProps) {
  const lanes = useRef<HTMLDivElement>(null);
  const from = useRef<number>(tree.begin);
  const span = whole.to - whole.from;
  const shapes = useMemo(
    () => LANES.map(([name, y, height, of]) => ({ name, d: path(tree, whole, y, height, of) })),
    [tree, whole.to],
  );
  const at = (event: PointerEvent) => {
    const box = lanes.current?.getBoundingClientRect();
    return box ? tree.begin + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * span : tree.begin;
  };
  const drag = (event: PointerEvent) => {
    const [one, other] = [from.current ?? tree.begin, at(event)];
    if (Math.abs(one - other) < span / 200) return;
    show({ from: Math.min(one, other), to: Math.max(one, other) });
  };
  const left = ((view.from - tree.begin) / span) * 100;
  return (
    <div class="map">
      <small>Overview</small>
      <div
        class="lanes"
        role="img"
        aria-label={finding(tree)}
        ref={lanes}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = at(event);
        }}
        onPointerMove={(event) => event.buttons > 0 && drag(event)}
      >
        <svg viewBox={`0 0 ${COLUMNS} 24`} preserveAspectRatio="none" aria-hidden="true">
          {shapes.map(({ name, d }) => (
            <path key={name} class={name} d={d} />
          ))}
        </svg>
        <span class="lens" style={{ left: `${left}%`, width: `${((view.to - view.from) / span) * 100}%` }} />
      </div>
    </div>
  );
}

function path(
  tree: EventTree,
  whole: TimeRange,
  y: number,
  height: number,
  of: (event: SessionEvent) => boolean,
): string {
  const columns = new Uint8Array(COLUMNS);
  const scale = COLUMNS / (whole.to - whole.from);
  for (const event of tree.all) {
    if (!of(event)) continue;
    const first = Math.min(COLUMNS - 1, Math.floor((event.at - tree.begin) * scale));
    const end = event.open ? whole.to : event.at + (event.latency ?? 0);
    const last = Math.min(COLUMNS, Math.max(first + 1, Math.ceil((end - tree.begin) * scale)));
    columns.fill(1, first, last);
  }
  let d = "";
  for (let at = 0; at < COLUMNS; at += 1) {
    if (!columns[at]) continue;
    const start = at;
    while (columns[at + 1]) at += 1;
    d += `M${start} ${y}h${at + 1 - start}v${height}h${start - at - 1}z`;
  }
  return d;
}

function finding({ roots, failures, begin }: EventTree): string {
  const places = failures.slice(0, 3).map(({ at }) => formatTimeOffset(at - begin));
  const bad =
    failures.length > 0 ? `, ${formatPlural(failures.length, "failure")}, at ${places.join(", ")}` : ", no failures";
  return `Overview: ${formatPlural(roots.length, "turn")}${bad}`;
}
