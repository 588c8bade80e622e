import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { useInView } from "../../../parts/lists/in-view.ts";
import { useVirtual } from "../../../parts/lists/virtual.ts";
import { rowOf, VirtualRows } from "../../../parts/lists/virtual-rows.tsx";
import { duration, exact, offset } from "../../../parts/texts/format.ts";
import { unpressed } from "../../../parts/texts/redacted.tsx";
import { type SessionEvent, tookOf } from "../events.ts";
import { about, failureOf, iconOf, nameOf } from "../words.ts";

const ROW = 37;

interface RowsProps {
  sessionId: string;
  events: readonly SessionEvent[];
  begin: number;
  /** The index of the chosen event; -1 for none. */
  selected: number;
  select: (id: string) => void;
  found: ReadonlySet<string> | undefined;
  scroll: RefObject<HTMLDivElement | null>;
}

/** The rows in view of the events of a log. */
export function Rows({ sessionId, events, begin, selected, select, found, scroll }: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const entry = Math.max(selected, 0);
  const { slots } = useVirtual({ count: events.length, size: ROW, element: scroll, before: 28, keep: entry });
  const chosen = events[selected]?.id;
  useInView({ body, id: chosen, at: selected });
  // Before the next key is handled: Enter opens the row that has the focus, unless somebody is typing.
  useLayoutEffect(() => {
    if (!chosen || document.activeElement instanceof HTMLInputElement) return;
    body.current?.querySelector<HTMLElement>(`[data-row="${selected}"]`)?.focus({ preventScroll: true });
  }, [chosen]);
  const rowAt = (index: number) => {
    const event = events[index];
    if (!event) return null;
    const marks = { selected: index === selected, entry: index === entry, hit: found?.has(event.id) ?? false };
    const href = `/sessions/${sessionId}/events/${event.id}`;
    return <Row event={event} index={index} begin={begin} href={href} {...marks} />;
  };
  const onClick = (click: MouseEvent) => {
    const event = events[rowOf(click)];
    if (event) select(event.id);
  };
  return (
    <tbody role="rowgroup" ref={body} style={{ height: `${events.length * ROW}px` }} onClick={onClick}>
      <VirtualRows slots={slots} count={events.length} row={rowAt} />
    </tbody>
  );
}

interface RowProps {
  event: SessionEvent;
  index: number;
  begin: number;
  href: string;
  selected: boolean;
  /** True if the row is where Tab enters the log. */
  entry: boolean;
  /** It holds the text that is looked for. */
  hit: boolean;
}

const Row = ({ event, index, begin, href, selected, entry, hit }: RowProps) => (
  <tr
    role="row"
    class={hit ? "hit" : ""}
    aria-selected={selected}
    aria-rowindex={index + 2}
    style={{ transform: `translateY(${index * ROW}px)` }}
  >
    <td role="cell" class="mono" title={exact(event.at)}>
      {offset(event.at - begin)}
    </td>
    <td role="cell" class="cut">
      <a class="name" href={href} tabIndex={entry ? 0 : -1} data-row={index}>
        <Icon name={iconOf(event)} class="i-14" />
        <bdi>{event.name}</bdi>
        {hit && <span class="sr">, a match</span>}
      </a>
    </td>
    <td role="cell" class="mono what cut" dir="auto">
      {unpressed(event.kind === "turn" ? nameOf(event) : about(event))}
    </td>
    <td role="cell" class="num mono">
      {duration(tookOf(event))}
    </td>
    <td role="cell" class={event.failed ? "c-fail cut" : "dim"}>
      {event.failed && <Icon name="fail" class="i-14" />}
      {event.failed ? failureOf(event) : event.open ? "running" : "ok"}
    </td>
  </tr>
);
