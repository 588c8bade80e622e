import { effect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { useKeepRowInView } from "../../parts/lists/in-view.ts";
import { isPhoneScreen } from "../../parts/lists/phone.ts";
import { useVirtualList } from "../../parts/lists/virtual.ts";
import { findEventRowIndex, VirtualRows } from "../../parts/lists/virtual-rows.tsx";
import { appLocation, setSearchParameters } from "../../shell/router.ts";
import { SessionTableRow } from "./row.tsx";
import { readSessionSort, type SessionSortField, toggleSort } from "./sort.ts";
import type { SessionList } from "./store.ts";

const COLUMNS: [name: string, className: string, sort?: SessionSortField][] = [
  ["Session", ""],
  ["Activity", "c-track"],
  ["Agent", "c-agent"],
  ["User", "c-user"],
  ["Failures", "num c-fail", "failures"],
  ["Events", "num c-ev"],
  ["Duration", "num c-dur", "duration"],
  ["Tokens", "num c-tok"],
  ["Cost", "num c-cost", "cost"],
  ["Started", "num c-when", "startedAt"],
];
/** Distance from the end of the list, in rows, at which the next page is read. */
const AHEAD = 60;
/** Height of a row in pixels. On screens narrower than 768 px a row has three lines. */
const ROW = 37;
const PHONE_ROW = 88;
/** Height of the sticky head above the rows. */
const HEAD = 29;

interface TableProps {
  list: SessionList;
  selected: number;
  select: (index: number) => void;
  more: () => void;
  scroll: RefObject<HTMLDivElement | null>;
}

/** Table of sessions. Renders only the visible rows. */
export function SessionTable(props: TableProps) {
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

/** Visible rows of the table. The rows are a separate component, so that scrolling renders only the rows again. */
function Rows({ list: { rows }, selected, select, more, scroll }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const size = isPhoneScreen.value ? PHONE_ROW : ROW;
  const entry = Math.max(selected, 0);
  const { slots } = useVirtualList({ count: rows.length, size, element: scroll, before: HEAD, keep: entry });
  const chosen = rows[selected]?.id;
  useEffect(() =>
    effect(() => {
      const last = Math.max(-1, ...slots.map((slot) => slot.value));
      if (last > rows.length - AHEAD) more();
    }),
  );
  useKeepRowInView({ body, id: chosen, at: selected });
  // Moves the focus before the next key press, because Enter opens the focused row.
  useLayoutEffect(() => {
    const link = chosen && body.current?.querySelector<HTMLElement>(`[data-row="${selected}"]`);
    if (link) link.focus({ preventScroll: true });
  }, [chosen]);
  const rowAt = (index: number) => {
    const row = rows[index];
    if (!row) return null;
    const marks = { selected: index === selected, entry: index === entry };
    return <SessionTableRow row={row} index={index} top={index * size} {...marks} />;
  };
  return (
    <tbody
      role="rowgroup"
      ref={body}
      style={{ height: `${rows.length * size}px` }}
      onClick={(event) => findEventRowIndex(event) >= 0 && select(findEventRowIndex(event))}
    >
      <VirtualRows slots={slots} count={rows.length} row={rowAt} />
    </tbody>
  );
}

interface HeadProps {
  name: string;
  class: string;
  /**
   * Field by which a click on the column head sorts the table; undefined if the column is not sortable. The URL
   * contains the sort order.
   */
  sort: SessionSortField | undefined;
}

function Head({ name, class: className, sort }: HeadProps) {
  const now = readSessionSort(appLocation.value.search);
  const direction = now.name === sort ? (now.descending ? "descending" : "ascending") : "none";
  return (
    <th role="columnheader" class={className} aria-sort={sort && direction}>
      {sort ? (
        <button type="button" onClick={() => setSearchParameters({ sort: toggleSort(now, sort) }, false)}>
          {name}
          {now.name === sort && <Icon name={now.descending ? "dn" : "up"} class="i-14" />}
        </button>
      ) : (
        name
      )}
    </th>
  );
}
