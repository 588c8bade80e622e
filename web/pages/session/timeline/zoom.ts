import { ticking } from "../../../parts/time/time.tsx";
import { useKept } from "../../../shell/kept.ts";
import type { EventTree } from "../events.ts";
import { type View, within, type Zoom, zoomed } from "./axis.ts";

/** The part of a session's time that is shown, and the ways to show another. */
export interface Zooming {
  /** All of the session's time; an open session goes on until now. */
  whole: View;
  view: View;
  /** The part that was chosen last; undefined while all is shown. */
  chosen: Zoom | undefined;
  /** Shows so many times as much, around a moment. */
  zoom: (factor: number, around?: number) => void;
  /** Shows a part that was drawn in the overview. */
  show: (part: View) => void;
  /** Shows all. */
  fit: () => void;
}

/** Keeps which part of a session's time is shown. */
export function useZoom(sessionId: string, tree: EventTree): Zooming {
  const [chosen, choose] = useKept<Zoom | undefined>(`zoom of ${sessionId}`, undefined);
  const whole: View = { from: tree.begin, to: tree.open ? Math.max(tree.end, ticking.value) : tree.end };
  const view = chosen ? within(chosen, whole) : whole;
  return {
    whole,
    view,
    chosen,
    zoom: (factor, around) => choose(zoomed(view, whole, factor, around)),
    show: (part) => choose({ ...part, brushed: true }),
    fit: () => choose(undefined),
  };
}
