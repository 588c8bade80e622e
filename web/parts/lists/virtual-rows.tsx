import type { Signal } from "@preact/signals";
import type { VNode } from "preact";

interface RowsProps {
  slots: readonly Signal<number>[];
  count: number;
  row: (index: number) => VNode | null;
}

/** Rendered rows of a long list. */
export const VirtualRows = ({ slots, count, row }: RowsProps) => (
  <>
    {slots.map((slot) => (
      <Row key={keyOf(slot)} slot={slot} count={count} row={row} />
    ))}
  </>
);

/** Row that renders again when the slot gets another index. */
function Row({ slot, count, row }: Omit<RowsProps, "slots"> & { slot: Signal<number> }) {
  const index = slot.value;
  return index < 0 || index >= count ? null : row(index);
}

const keys = new WeakMap<object, number>();
let last = 0;

function keyOf(slot: object): number {
  const key = keys.get(slot) ?? ++last;
  keys.set(slot, key);
  return key;
}

/** Returns the index of the row that contains the target of an event; -1 if the target is outside all rows. */
export function findEventRowIndex({ target }: Event): number {
  const row = target instanceof Element ? target.closest("[aria-rowindex]") : null;
  return Number(row?.getAttribute("aria-rowindex") ?? 1) - 2;
}
