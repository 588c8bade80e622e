import { useRef } from "preact/hooks";
import { duration, exact, offset } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { useVirtual } from "../../parts/virtual.ts";
import type { EventTree } from "./events.ts";
import { about, failureOf, iconOf, nameOf } from "./words.ts";

const ROW = 37;

/** Every event in a flat table, in order of time. */
export function Log({ sessionId, tree }: { sessionId: string; tree: EventTree }) {
  const scroll = useRef<HTMLDivElement>(null);
  const { items, total, margin } = useVirtual({ count: tree.all.length, size: ROW, element: scroll, before: 28 });
  const before = (items[0]?.start ?? margin) - margin;
  const after = total - ((items.at(-1)?.end ?? margin) - margin);
  return (
    <div class="scroll" ref={scroll}>
      <table class="tbl log" aria-label="Log" aria-rowcount={tree.all.length + 1}>
        <thead>
          <tr>
            <th>Time</th>
            <th>Event</th>
            <th class="what">About</th>
            <th class="num">Duration</th>
            <th>Result</th>
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Gap height={before} />}
          {items.map(({ index }) => {
            const event = tree.all[index];
            return (
              event && (
                <tr key={event.id} aria-rowindex={index + 2}>
                  <td class="mono" title={exact(event.at)}>
                    {offset(event.at - tree.begin)}
                  </td>
                  <td>
                    <a class="name row" href={`/sessions/${sessionId}/events/${event.id}`}>
                      <Icon name={iconOf(event)} class="i-14" />
                      <bdi class="cut">{event.name}</bdi>
                    </a>
                  </td>
                  <td class="mono what cut">
                    <bdi>{event.kind === "turn" ? nameOf(event) : about(event)}</bdi>
                  </td>
                  <td class="num mono">{duration(event.latency)}</td>
                  <td>
                    {event.failed ? (
                      <span class="st fail">
                        <Icon name="fail" class="i-14" />
                        <span class="cut">{failureOf(event)}</span>
                      </span>
                    ) : (
                      <span class="dim">ok</span>
                    )}
                  </td>
                </tr>
              )
            );
          })}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
    </div>
  );
}

const Gap = ({ height }: { height: number }) => (
  <tr class="gap-row" aria-hidden="true" style={{ height: `${height}px` }}>
    <td colSpan={5} />
  </tr>
);
