import { useMemo } from "preact/hooks";
import { useKept } from "../../../shell/kept.ts";
import { navigate } from "../../../shell/router.ts";
import type { SessionEvent, TreeRow } from "../events.ts";

/** The selected event, which the address names: its row, and the ways to select another. */
export interface Selection {
  /** The row of the selected event; undefined while none is selected, or while its row is hidden. */
  row: TreeRow | undefined;
  select: (id: string | undefined) => void;
  /** Selects the event so many rows further on, or at the end of the rows. */
  move: (by: number) => void;
}

/** Keeps the selection among the rows that are shown. */
export function useSelection(sessionId: string, rows: readonly TreeRow[], selected: string | undefined): Selection {
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

/** The folded events of the tree. */
export interface Folding {
  folded: ReadonlySet<string>;
  toggle: (id: string) => void;
  /** Unfolds everything above an event. */
  unfoldTo: (event: SessionEvent) => void;
  unfoldAll: () => void;
}

const NONE: ReadonlySet<string> = new Set();

/** Keeps which events are folded; all are unfolded at first. */
export function useFolding(sessionId: string): Folding {
  const [folded, setFolded] = useKept(`folded of ${sessionId}`, NONE);
  return {
    folded,
    toggle: (id) => setFolded(toggled(folded, id)),
    unfoldTo: (event) => setFolded(withoutParents(folded, event)),
    unfoldAll: () => setFolded(NONE),
  };
}

/** The set with the member taken out, or put in. */
export function toggled<T>(before: ReadonlySet<T>, member: T): ReadonlySet<T> {
  const next = new Set(before);
  if (!next.delete(member)) next.add(member);
  return next;
}

function withoutParents(before: ReadonlySet<string>, event: SessionEvent): ReadonlySet<string> {
  const next = new Set(before);
  for (let at = event.parent; at; at = at.parent) next.delete(at.id);
  return next;
}
