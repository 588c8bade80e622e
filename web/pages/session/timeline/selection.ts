import { useMemo } from "preact/hooks";
import { useHistoryState } from "../../../shell/kept.ts";
import { navigate } from "../../../shell/router.ts";
import type { SessionEvent, TreeRow } from "../events.ts";

/** Selected event, which the address names, with the event's row and functions that select another event. */
export interface EventSelection {
  /** Row of the selected event; undefined without a selection, or while the row is hidden. */
  row: TreeRow | undefined;
  select: (id: string | undefined) => void;
  /** Selects the event a number of rows further on, limited to the first and the last row. */
  move: (by: number) => void;
}

/** Reads the selection from the address and changes the address on a new selection. */
export function useEventSelection(
  sessionId: string,
  rows: readonly TreeRow[],
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
export interface FoldingControls {
  folded: ReadonlySet<string>;
  toggle: (id: string) => void;
  /** Unfolds all ancestors of an event. */
  unfoldTo: (event: SessionEvent) => void;
  unfoldAll: () => void;
}

const NONE: ReadonlySet<string> = new Set();

/** Stores the folded events. At first, all events are unfolded. */
export function useFolding(sessionId: string): FoldingControls {
  const [folded, setFolded] = useHistoryState(`folded of ${sessionId}`, NONE);
  return {
    folded,
    toggle: (id) => setFolded(toggleMember(folded, id)),
    unfoldTo: (event) => setFolded(withoutParents(folded, event)),
    unfoldAll: () => setFolded(NONE),
  };
}

/** Returns the set with the member added or removed. */
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
