import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { useKeepRowInView } from "../../../parts/lists/in-view.ts";
import { useVirtualList } from "../../../parts/lists/virtual.ts";
import { findEventRowIndex, VirtualRows } from "../../../parts/lists/virtual-rows.tsx";
import { formatDuration, formatExactTime, formatTimeOffset } from "../../../parts/texts/format.ts";
import { renderPlainRedactedText } from "../../../parts/texts/redacted.tsx";
import { computeEventDuration, type SessionEvent } from "../events.ts";
import { formatEventName, formatFailureText, getEventIcon, summarizeArguments } from "../words.ts";

const ROW = 37;

interface RowsProps {
  sessionId: string;
  events: readonly SessionEvent[];
  begin: number;
  /** Index of the chosen event; -1 for none. */
  selected: number;
  select: (id: string) => void;
  found: ReadonlySet<string> | undefined;
  scroll: RefObject<HTMLDivElement | null>;
}

/** Visible rows of the log. */
export function LogRows({ sessionId, events, begin, selected, select, found, scroll }: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const entry = Math.max(selected, 0);
  const { slots } = useVirtualList({ count: events.length, size: ROW, element: scroll, before: 28, keep: entry });
  const chosen = events[selected]?.id;
  useKeepRowInView({ body, id: chosen, at: selected });
  // Moves the focus before the next key press, because Enter opens the focused row. Keeps the focus in a text field
  // while the user types.
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
    const event = events[findEventRowIndex(click)];
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
  /** True for the row that Tab focuses when the user enters the log. */
  entry: boolean;
  /** True if the event contains the searched text. */
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
    <td role="cell" class="mono" title={formatExactTime(event.at)}>
      {formatTimeOffset(event.at - begin)}
    </td>
    <td role="cell" class="cut">
      <a class="name" href={href} tabIndex={entry ? 0 : -1} data-row={index}>
        <Icon name={getEventIcon(event)} class="i-14" />
        <bdi>{event.name}</bdi>
        {hit && <span class="sr">, a match</span>}
      </a>
    </td>
    <td role="cell" class="mono what cut" dir="auto">
      {renderPlainRedactedText(event.kind === "turn" ? formatEventName(event) : summarizeArguments(event))}
    </td>
    <td role="cell" class="num mono">
      {formatDuration(computeEventDuration(event))}
    </td>
    <td role="cell" class={event.failed ? "c-fail cut" : "dim"}>
      {event.failed && <Icon name="fail" class="i-14" />}
      {event.failed ? formatFailureText(event) : event.open ? "running" : "ok"}
    </td>
  </tr>
);
