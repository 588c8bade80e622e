import { tickingTime } from "../../../parts/time/time.tsx";
import { useHistoryState } from "../../../shell/kept.ts";
import type { EventTree } from "../events.ts";
import { type ChosenRange, clampRange, scaleRange, type TimeRange } from "./axis.ts";

/** Visible part of a session's time, and functions that change the part. */
export interface ZoomControls {
  /** Whole time of the session. An open session lasts until now. */
  whole: TimeRange;
  view: TimeRange;
  /** Part that the user chose last; undefined while the whole session is visible. */
  chosen: ChosenRange | undefined;
  /** Scales the visible part by a factor around a time. */
  zoom: (factor: number, around?: number) => void;
  /** Shows a part that the user drew in the overview. */
  show: (part: TimeRange) => void;
  /** Shows the whole session. */
  fit: () => void;
}

/** Stores the visible part of a session's time. */
export function useZoom(sessionId: string, tree: EventTree): ZoomControls {
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
