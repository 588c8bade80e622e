import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import type { SessionEvent } from "../events.ts";
import type { CollapseControls, EventSelection } from "./selection.ts";
import type { ZoomControls } from "./zoom.ts";

interface Controls {
  selection: EventSelection;
  folding: CollapseControls;
  zooming: ZoomControls;
  /** Selected event, even if the row of the event is hidden. */
  event: SessionEvent | undefined;
  rows: number;
  toFailure: (by: 1 | -1) => void;
  /** Focuses the search field. */
  find: () => void;
}

/** Handles the keys of the timeline. */
export function useTimelineShortcuts({ selection, folding, zooming, event, rows, toFailure, find }: Controls): void {
  const { row, select, move } = selection;
  const { folded, toggle, unfoldAll } = folding;
  const { zoom, fit } = zooming;
  const left = () => {
    if (row && row.event.children.length > 0 && !folded.has(row.event.id)) toggle(row.event.id);
    else if (row?.event.parent) select(row.event.parent.id);
  };
  const right = () => {
    if (row && folded.has(row.event.id)) toggle(row.event.id);
    else if (row && row.event.children.length > 0) move(1);
  };
  useKeyboardShortcuts({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    ArrowLeft: left,
    ArrowRight: right,
    Home: () => move(-rows),
    End: () => move(rows),
    n: () => toFailure(1),
    N: () => toFailure(-1),
    "+": () => zoom(0.5, event?.at),
    "-": () => zoom(2, event?.at),
    "0": fit,
    e: unfoldAll,
    "/": find,
    Escape: () => select(undefined),
  });
}
