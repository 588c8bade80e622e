import { tickingTime } from "../../../parts/time/time.tsx";
import { useHistoryState } from "../../../shell/kept.ts";
import type { EventTree } from "../events.ts";
import { type ChosenRange, clampRange, scaleRange, type TimeRange } from "./axis.ts";

/** Visible time range of a session, and functions that change the visible range. */
export interface ZoomControls {
  /** Time range of the whole session. The range of a session with an open event ends now. */
  whole: TimeRange;
  view: TimeRange;
  /**
   * Time range that the user chose last. Undefined if the user chose no range, or shows the whole session again with
   * `fit`.
   */
  chosen: ChosenRange | undefined;
  /** Zooms the visible time range by a factor. The time `around` stays in place; by default the middle of the range. */
  zoom: (factor: number, around?: number) => void;
  /** Shows a part that the user drew in the overview. */
  show: (part: TimeRange) => void;
  /** Shows the whole session. */
  fit: () => void;
}

/** Stores the visible time range of a session in the state of the history entry. */
export function useTimelineZoom(sessionId: string, tree: EventTree): ZoomControls {
  const [chosen, choose] = useHistoryState<ChosenRange | undefined>(`zoom of ${sessionId}`, undefined);
  const whole: TimeRange = { from: tree.begin, to: tree.open ? Math.max(tree.end, tickingTime.value) : tree.end };
  const view = chosen ? clampRange(chosen, whole) : whole;
  return {
    whole,
    view,
    chosen,
    zoom: (factor, around) => choose(scaleRange(view, whole, factor, around)),
    show: (part) => choose({ ...part, brushed: true }),
    fit: () => choose(undefined),
  };
}
