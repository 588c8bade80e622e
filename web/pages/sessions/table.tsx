import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { useVirtual } from "../../parts/virtual.ts";
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
const AHEAD = 20;

interface TableProps {
  list: SessionList;
  selected: number;
  select: (index: number) => void;
  more: () => void;
  scroll: RefObject<HTMLDivElement | null>;
}

/** The sessions, of which only those in view are made. */
export function Table({ list, selected, select, more, scroll }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [size, setSize] = useState(matchMedia("(max-width: 767px)").matches ? 88 : 37);
  const { items, total, margin, scrollTo } = useVirtual({ count: list.rows.length, size, element: scroll, before: 32 });
  useLayoutEffect(() => {
    const height = body.current?.querySelector("tr[aria-rowindex]")?.getBoundingClientRect().height;
    if (height && Math.abs(height - size) > 0.5) setSize(height);
  }, [list.rows.length > 0]);
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last > list.rows.length - AHEAD) more();
  }, [last, list.rows.length]);
  useEffect(() => {
    if (selected < 0) return;
    scrollTo(selected);
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-row="${selected}"]`)?.focus());
  }, [selected]);
  const first = items[0];
  const before = first ? first.start - margin : 0;
  const after = total - ((items.at(-1)?.end ?? margin) - margin);
  return (
    <table
      class="tbl slist"
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
      <tbody role="rowgroup" ref={body}>
        <Gap height={before} />
        {items.map(({ index }) => {
          const row = list.rows[index];
          const entry = index === Math.max(selected, 0);
          return (
            row && (
              <Row key={row.id} row={row} index={index} selected={index === selected} entry={entry} select={select} />
            )
          );
        })}
        <Gap height={after} />
      </tbody>
    </table>
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

/** Stands for rows out of view. */
const Gap = ({ height }: { height: number }) =>
  height > 0 ? (
    <tr class="gap-row" aria-hidden="true" style={{ height: `${height}px` }}>
      <td colSpan={11} />
    </tr>
  ) : null;
