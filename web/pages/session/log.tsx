import { useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { useVirtual } from "../../parts/lists/virtual.ts";
import { VirtualRows } from "../../parts/lists/virtual-rows.tsx";
import { duration, exact, offset } from "../../parts/texts/format.ts";
import { type EventTree, type SessionEvent, tookOf } from "./events.ts";
import { about, failureOf, iconOf, nameOf } from "./words.ts";

const ROW = 37;

/** Every event in a flat table, in order of time. */
export function Log({ sessionId, tree }: { sessionId: string; tree: EventTree }) {
  const scroll = useRef<HTMLDivElement>(null);
  return (
    <div class="scroll" ref={scroll}>
      <table class="tbl log many" role="table" aria-label="Log" aria-rowcount={tree.all.length + 1}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Time</th>
            <th role="columnheader">Event</th>
            <th role="columnheader" class="what">
              About
            </th>
            <th role="columnheader" class="num">
              Duration
            </th>
            <th role="columnheader">Result</th>
          </tr>
        </thead>
        <Rows sessionId={sessionId} tree={tree} scroll={scroll} />
      </table>
    </div>
  );
}

interface RowsProps {
  sessionId: string;
  tree: EventTree;
  scroll: { current: HTMLDivElement | null };
}

function Rows({ sessionId, tree, scroll }: RowsProps) {
  const { all, begin } = tree;
  const { slots } = useVirtual({ count: all.length, size: ROW, element: scroll, before: 28 });
  const rowAt = (index: number) => {
    const event = all[index];
    const href = `/sessions/${sessionId}/events/${event?.id}`;
    return event ? <Row event={event} index={index} begin={begin} href={href} /> : null;
  };
  return (
    <tbody role="rowgroup" style={{ height: `${all.length * ROW}px` }}>
      <VirtualRows slots={slots} count={all.length} row={rowAt} />
    </tbody>
  );
}

interface RowProps {
  event: SessionEvent;
  index: number;
  begin: number;
  href: string;
}

const Row = ({ event, index, begin, href }: RowProps) => (
  <tr role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${index * ROW}px)` }}>
    <td role="cell" class="mono" title={exact(event.at)}>
      {offset(event.at - begin)}
    </td>
    <td role="cell" class="cut">
      <a class="name" href={href}>
        <Icon name={iconOf(event)} class="i-14" />
        <bdi>{event.name}</bdi>
      </a>
    </td>
    <td role="cell" class="mono what cut" dir="auto">
      {event.kind === "turn" ? nameOf(event) : about(event)}
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
