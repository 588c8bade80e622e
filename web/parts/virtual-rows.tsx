import type { Signal } from "@preact/signals";
import type { VNode } from "preact";

interface RowsProps {
  slots: readonly Signal<number>[];
  /** A row with an element of its own wherever somebody scrolls, because it has the focus. */
  keep: number;
  count: number;
  row: (index: number) => VNode | null;
}

/** The rows of a long list that are made. */
export function VirtualRows({ slots, keep, count, row }: RowsProps) {
  const kept = keep >= 0 && keep < count && <Kept key={`kept ${keep}`} index={keep} row={row} />;
  const at = slots.findIndex((slot) => slot.peek() >= keep);
  const rows = slots.map((slot) => <Row key={keyOf(slot)} slot={slot} keep={keep} count={count} row={row} />);
  // It stands in its order, for whoever goes through the document.
  return <>{at < 0 ? [...rows, kept] : [...rows.slice(0, at), kept, ...rows.slice(at)]}</>;
}

const Kept = ({ index, row }: { index: number; row: RowsProps["row"] }) => row(index);

/** What is made again when another row is shown in its place. */
function Row({ slot, keep, count, row }: Omit<RowsProps, "slots"> & { slot: Signal<number> }) {
  const index = slot.value;
  return index === keep || index >= count ? null : row(index);
}

const keys = new WeakMap<object, number>();
let last = 0;

function keyOf(slot: object): number {
  const key = keys.get(slot) ?? ++last;
  keys.set(slot, key);
  return key;
}

/** The index of the row that an event happened in; -1 for none. */
export function rowOf({ target }: Event): number {
  const row = target instanceof Element ? target.closest("[aria-rowindex]") : null;
  return Number(row?.getAttribute("aria-rowindex") ?? 1) - 2;
}
