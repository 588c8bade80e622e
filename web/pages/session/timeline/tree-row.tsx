import { Icon } from "../../../parts/icon.tsx";
import { count, duration, offset, plural } from "../../../parts/texts/format.ts";
import { unpressed } from "../../../parts/texts/redacted.tsx";
import { type TreeRow, tookOf } from "../events.ts";
import { about, failureOf, iconOf, nameOf } from "../words.ts";
import type { View } from "./axis.ts";

/** The event that a session's state is about, and what is said of it; nothing where it waits for nobody. */
export interface Waits {
  id: string;
  words: string;
}

interface RowProps {
  row: TreeRow;
  index: number;
  /** Px from the first row. */
  top: number;
  view: View;
  begin: number;
  /** End of bars of events that have not ended. */
  end: number;
  selected: boolean;
  entry: boolean;
  folded: boolean;
  waits: Waits | undefined;
}

/** An event's line: what it was, how long it took, and when. */
export function Row({ row, index, top, view, begin, end, selected, entry, folded, waits }: RowProps) {
  const { event, level, position, siblings } = row;
  const leaf = event.children.length === 0;
  const words = event.kind === "turn" ? "" : about(event);
  return (
    <div
      role="row"
      class={`ev ${event.kind}${event.failed ? " bad" : ""}`}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-expanded={leaf ? undefined : !folded}
      tabIndex={entry ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" class={leaf ? "nm leaf" : "nm"} style={{ "--lv": Math.min(level, 24) }}>
        {!leaf && (
          <span class="tw" aria-hidden="true">
            <Icon name={folded ? "right" : "down"} class="i-14" />
          </span>
        )}
        <Icon name={iconOf(event)} />
        {event.failed && <span class="sr">Failed: </span>}
        <b dir="auto">{unpressed(nameOf(event))}</b> {words && <bdi class="mono cut">{unpressed(words)}</bdi>}
      </div>
      <div role="gridcell" class="du">
        {duration(tookOf(event))}
      </div>
      <Bar event={event} view={view} begin={begin} end={end} waits={waits?.id === event.id ? waits.words : ""} />
    </div>
  );
}

/** When it ran, on the axis of time. */
function Bar({
  event,
  view: { from, to },
  begin,
  end: now,
  waits,
}: Pick<RowProps, "view" | "begin" | "end"> & Pick<TreeRow, "event"> & { waits: string }) {
  const span = to - from;
  const left = ((event.at - from) / span) * 100;
  const right = (((event.open ? now : event.at + (event.latency ?? 0)) - from) / span) * 100;
  const [x, end] = [Math.max(0, left), Math.min(100, right)];
  const visible = right >= 0 && left <= 100;
  const tokens = tokensOf(event);
  const why = failureOf(event);
  const marks = event.checkpoints ?? [];
  const described = [
    `from ${offset(event.at - begin)}`,
    waits || (event.open ? "running" : ""),
    tokens && `tokens ${tokens}`,
    why,
    marks.length > 0 ? plural(marks.length, "checkpoint") : "",
  ];
  const beside = end > 80 ? { right: `calc(${100 - x}% + 6px)` } : { left: `calc(${end}% + 6px)` };
  const bar = `wb ${event.kind}${event.failed ? " bad" : ""}${event.open ? " live" : ""}${waits ? " waits" : ""}`;
  return (
    <div role="gridcell" class="wf" aria-label={described.filter(Boolean).join(", ")}>
      {visible && <span class={bar} style={{ marginLeft: `${x}%`, width: `max(3px, ${Math.max(0, end - x)}%)` }} />}
      {visible && waits && (
        <span class="wl waits" style={{ right: "6px" }} aria-hidden="true">
          <Icon name="lock" />
          {waits}
        </span>
      )}
      {visible && !why && !waits && tokens && (
        <span class="wl" style={beside} aria-hidden="true">
          {tokens}
        </span>
      )}
      {visible && why && (
        <span class="wl bad" style={beside} aria-hidden="true">
          <Icon name="fail" />
          {why}
        </span>
      )}
      {marks.map((at) => {
        const mark = ((at - from) / span) * 100;
        return mark >= 0 && mark <= 100 ? <span key={at} class="cp" style={{ "--x": mark }} /> : null;
      })}
    </div>
  );
}

/** The tokens a model call read and wrote: `14.2k → 212`. */
const tokensOf = ({ kind, inputTokens, outputTokens }: TreeRow["event"]): string =>
  kind === "llm" && inputTokens !== null ? `${count(inputTokens)} → ${count(outputTokens ?? 0)}` : "";
