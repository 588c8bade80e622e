import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useKeepRowInView } from "../../../parts/lists/in-view.ts";
import { isPhoneScreen } from "../../../parts/lists/phone.ts";
import { useVirtualList } from "../../../parts/lists/virtual.ts";
import { findEventRowIndex, VirtualRows } from "../../../parts/lists/virtual-rows.tsx";
import { type EventTree, findFirstRowIndex, type VisibleTreeRow } from "../events.ts";
import { buildTicks, type ChosenRange } from "./axis.ts";
import type { CollapseControls } from "./selection.ts";
import { EventTreeRow, type WaitingEvent } from "./tree-row.tsx";
import type { ZoomControls } from "./zoom.ts";

interface TreeProps {
  rows: readonly VisibleTreeRow[];
  tree: EventTree;
  zooming: ZoomControls;
  folding: CollapseControls;
  selected: string | undefined;
  select: (id: string) => void;
  waits: WaitingEvent | undefined;
}

type Box = RefObject<HTMLDivElement | null>;

const ROW = 28;
const PHONE_ROW = 44;
const HEAD = 28;

/** Tree and waterfall, side by side. Renders only the visible rows. */
export function EventTreeView(props: TreeProps) {
  const {
    rows,
    tree: { begin },
    zooming,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const ticks = buildTicks(zooming.view, begin);
  useWheelZoom(box, zooming);
  return (
    <div
      class="tree"
      role="treegrid"
      aria-label="Events of the session"
      aria-rowcount={rows.length + 1}
      aria-readonly="true"
      ref={box}
    >
      <div role="rowgroup">
        <div role="row" class="thead" aria-rowindex={1}>
          <div role="columnheader">Event</div>
          <div role="columnheader" class="du plain-du">
            Duration
          </div>
          <div role="columnheader" class="wf">
            <span class="sr">Time</span>
            {ticks.map(({ x, name }) => (
              <span key={name} style={{ "--x": x }} aria-hidden="true">
                {name}
              </span>
            ))}
          </div>
        </div>
      </div>
      <Rows {...props} box={box} ticks={ticks} />
    </div>
  );
}

interface RowsProps extends TreeProps {
  ticks: ReturnType<typeof buildTicks>;
  box: Box;
}

/** Zooms when the user presses Ctrl and turns the mouse wheel. The time under the pointer stays in place. */
function useWheelZoom(box: Box, { view, zoom }: ZoomControls): void {
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const wf = box.current?.querySelector(".thead .wf")?.getBoundingClientRect();
    const share = wf ? (event.clientX - wf.left) / wf.width : 0;
    zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + share * (view.to - view.from));
  };
  useEffect(() => {
    const element = box.current;
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  });
}

/** Visible rows of the tree. The rows are a separate component, so that scrolling renders only the rows again. */
function Rows({ rows, tree, zooming, folding, ticks, selected, select, waits, box }: RowsProps) {
  const { begin, open } = tree;
  const body = useRef<HTMLDivElement>(null);
  const size = isPhoneScreen.value ? PHONE_ROW : ROW;
  const at = useMemo(() => (selected ? rows.findIndex(({ event }) => event.id === selected) : -1), [rows, selected]);
  const entry = Math.max(at, 0);
  const { slots } = useVirtualList({ count: rows.length, size, element: box, before: HEAD, keep: entry });
  useKeepRowInView({ body, id: selected, at });
  useScrollToZoom(box, zooming.chosen, rows, size);
  // Moves the focus to the selected row before the next key press. Keeps the focus in a text field while the user
  // types.
  useLayoutEffect(() => {
    if (at < 0 || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "")) return;
    body.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }, [selected]);
  const rowAt = (index: number) => {
    const row = rows[index];
    if (!row) return null;
    const { id } = row.event;
    const marks = { selected: id === selected, entry: index === entry, folded: folding.folded.has(id), waits };
    const { view, whole } = zooming;
    return (
      <EventTreeRow row={row} index={index} top={index * size} view={view} begin={begin} end={whole.to} {...marks} />
    );
  };
  const onClick = (click: MouseEvent) => {
    const event = rows[findEventRowIndex(click)]?.event;
    if (!event) return;
    const twisty = (click.target as Element).closest(".tw");
    if (twisty && event.children.length > 0) folding.toggle(event.id);
    else select(event.id);
  };
  return (
    <div role="rowgroup" class="rows" ref={body} style={{ height: `${rows.length * size}px` }} onClick={onClick}>
      <div role="presentation" class="lines">
        {ticks.map(({ x, name }) => (
          <i key={name} style={{ "--x": x }} />
        ))}
        {open && zooming.view.to >= zooming.whole.to && <i class="now" style={{ "--x": 100 }} />}
      </div>
      <div role="presentation">
        <VirtualRows slots={slots} count={rows.length} row={rowAt} />
      </div>
    </div>
  );
}

/**
 * Scrolls to the first event in the chosen time range. Does not scroll if an event of the range is already visible,
 * unless the user drew the range in the overview.
 */
function useScrollToZoom(
  box: Box,
  chosen: ChosenRange | undefined,
  rows: readonly VisibleTreeRow[],
  size: number,
): void {
  useLayoutEffect(() => {
    // On a phone the page scrolls as a whole, and scrolling would move the overview away from the finger.
    if (!chosen || !box.current || isPhoneScreen.peek()) return;
    const { scrollTop, clientHeight } = box.current;
    const shown = rows.slice(Math.floor(scrollTop / size), Math.floor((scrollTop + clientHeight - HEAD) / size));
    if (!chosen.brushed && shown.some(({ event }) => event.at >= chosen.from && event.at <= chosen.to)) return;
    box.current.scrollTop = Math.max(0, findFirstRowIndex(rows, chosen)) * size;
  }, [chosen]);
}
