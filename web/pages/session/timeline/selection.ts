import { useMemo } from "preact/hooks";
import { useHistoryState } from "../../../shell/kept.ts";
import { navigate } from "../../../shell/router.ts";
import type { SessionEvent, VisibleTreeRow } from "../events.ts";

/**
 * Row of the selected event, and functions that select another event. The URL contains the id of the selected event.
 */
export interface EventSelection {
  /** Row of the selected event; undefined without a selection, or while the row is hidden. */
  row: VisibleTreeRow | undefined;
  select: (id: string | undefined) => void;
  /** Moves the selection by a number of rows, at most to the first or the last row. */
  move: (by: number) => void;
}

/** Finds the row of the selected event. Changes the URL when the user selects another event. */
export function useEventSelection(
  sessionId: string,
  rows: readonly VisibleTreeRow[],
  selected: string | undefined,
): EventSelection {
  const at = useMemo(() => (selected ? rows.findIndex(({ event }) => event.id === selected) : -1), [rows, selected]);
  const select = useMemo(
    () => (id: string | undefined) =>
      navigate(id ? `/sessions/${sessionId}/events/${id}` : `/sessions/${sessionId}`, { replace: true }),
    [sessionId],
  );
  const move = (by: number) => {
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) select(next.event.id);
  };
  return { row: rows[at], select, move };
}

/** Folded events of the tree. */
export interface CollapseControls {
  folded: ReadonlySet<string>;
  toggle: (id: string) => void;
  /** Unfolds all ancestors of an event. */
  unfoldTo: (event: SessionEvent) => void;
  unfoldAll: () => void;
}

const NONE: ReadonlySet<string> = new Set();

/** Stores which events of the tree are collapsed. At first, all events are expanded. */
export function useCollapsedEvents(sessionId: string): CollapseControls {
  const [folded, setFolded] = useHistoryState(`folded of ${sessionId}`, NONE);
  return {
    folded,
    toggle: (id) => setFolded(toggleMember(folded, id)),
    unfoldTo: (event) => setFolded(withoutParents(folded, event)),
    unfoldAll: () => setFolded(NONE),
  };
}

/** Returns a copy of the set without the member if the set contains the member; otherwise a copy with the member. */
export function toggleMember<T>(before: ReadonlySet<T>, member: T): ReadonlySet<T> {
  const next = new Set(before);
  if (!next.delete(member)) next.add(member);
  return next;
}

function withoutParents(before: ReadonlySet<string>, event: SessionEvent): ReadonlySet<string> {
  const next = new Set(before);
  for (let at = event.parent; at; at = at.parent) next.delete(at.id);
  return next;
}
