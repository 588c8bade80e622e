import { effect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { useInView } from "../../parts/lists/in-view.ts";
import { phone } from "../../parts/lists/phone.ts";
import { useVirtual } from "../../parts/lists/virtual.ts";
import { rowOf, VirtualRows } from "../../parts/lists/virtual-rows.tsx";
import { place, setSearch } from "../../shell/router.ts";
import { Row } from "./row.tsx";
import { pressed, type SortName, sortOf } from "./sort.ts";
import type { SessionList } from "./store.ts";

const COLUMNS: [name: string, className: string, sort?: SortName][] = [
  ["Session", ""],
  ["Course", "c-track"],
  ["Agent", "c-agent"],
  ["User", "c-user"],
  ["Failures", "num c-fail", "failures"],
  ["Events", "num c-ev"],
  ["Duration", "num c-dur", "duration"],
  ["Tokens", "num c-tok"],
  ["Cost", "num c-cost", "cost"],
  ["Started", "num c-when", "startedAt"],
];
/** Rows before the end at which the next page is asked for. */
const AHEAD = 60;
/** Height of a row in px; below 768 px it has three lines. */
const ROW = 37;
const PHONE_ROW = 88;
/** Height of what stays above the rows. */
const HEAD = 29;

interface TableProps {
  list: SessionList;
  selected: number;
  select: (index: number) => void;
  more: () => void;
  scroll: RefObject<HTMLDivElement | null>;
}

/** The sessions, of which only those in view are made. */
export function Table(props: TableProps) {
  const { list } = props;
  return (
    <table
      class="tbl slist many"
      role="table"
      aria-label="Sessions"
      aria-rowcount={list.hasMore ? -1 : list.rows.length + 1}
    >
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" class="c-st">
            <span class="sr">State</span>
          </th>
          {COLUMNS.map(([name, className, sort]) => (
            <Head key={name} name={name} class={className} sort={sort} />
          ))}
        </tr>
      </thead>
      <Rows {...props} />
    </table>
  );
}

/** The rows in view; nothing around them is made again while somebody scrolls. */
function Rows({ list: { rows }, selected, select, more, scroll }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const size = phone.value ? PHONE_ROW : ROW;
  const entry = Math.max(selected, 0);
  const { slots } = useVirtual({ count: rows.length, size, element: scroll, before: HEAD, keep: entry });
  const chosen = rows[selected]?.id;
  useEffect(() =>
    effect(() => {
      const last = Math.max(-1, ...slots.map((slot) => slot.value));
      if (last > rows.length - AHEAD) more();
    }),
  );
  useInView({ body, id: chosen, at: selected });
  // Before the next key is handled: Enter opens the row that has the focus.
  useLayoutEffect(() => {
    const link = chosen && body.current?.querySelector<HTMLElement>(`[data-row="${selected}"]`);
    if (link) link.focus({ preventScroll: true });
  }, [chosen]);
  const rowAt = (index: number) => {
    const row = rows[index];
    if (!row) return null;
    const marks = { selected: index === selected, entry: index === entry };
    return <Row row={row} index={index} top={index * size} {...marks} />;
  };
  return (
    <tbody
      role="rowgroup"
      ref={body}
      style={{ height: `${rows.length * size}px` }}
      onClick={(event) => rowOf(event) >= 0 && select(rowOf(event))}
    >
      <VirtualRows slots={slots} count={rows.length} row={rowAt} />
    </tbody>
  );
}

interface HeadProps {
  name: string;
  class: string;
  /** By what pressing it sorts; the address holds it. */
  sort: SortName | undefined;
}

function Head({ name, class: className, sort }: HeadProps) {
  const now = sortOf(place.value.search);
  const direction = now.name === sort ? (now.descending ? "descending" : "ascending") : "none";
  return (
    <th role="columnheader" class={className} aria-sort={sort && direction}>
      {sort ? (
        <button type="button" onClick={() => setSearch({ sort: pressed(now, sort) }, false)}>
          {name}
          {now.name === sort && <Icon name={now.descending ? "dn" : "up"} class="i-14" />}
        </button>
      ) : (
        name
      )}
    </th>
  );
}
