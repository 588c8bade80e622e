import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useVirtual } from "../../parts/virtual.ts";
import { Row } from "./row.tsx";
import type { SessionList } from "./store.ts";

const COLUMNS: [name: string, className: string][] = [
  ["Session", ""],
  ["Course", "c-track"],
  ["Agent", "c-agent"],
  ["User", "c-user"],
  ["Failures", "num c-fail"],
  ["Events", "num c-ev"],
  ["Duration", "num c-dur"],
  ["Tokens", "num c-tok"],
  ["Cost", "num c-cost"],
  ["Started", "num c-when"],
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
          {COLUMNS.map(([name, className]) => (
            <th
              key={name}
              role="columnheader"
              class={className}
              aria-sort={name === "Started" ? "descending" : undefined}
            >
              {name}
            </th>
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

/** Stands for rows out of view. */
const Gap = ({ height }: { height: number }) =>
  height > 0 ? (
    <tr class="gap-row" aria-hidden="true" style={{ height: `${height}px` }}>
      <td colSpan={11} />
    </tr>
  ) : null;
