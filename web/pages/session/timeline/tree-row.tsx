import { Icon } from "../../../parts/icon.tsx";
import { formatCount, formatDuration, formatPlural, formatTimeOffset } from "../../../parts/texts/format.ts";
import { renderPlainRedactedText } from "../../../parts/texts/redacted.tsx";
import { computeEventDuration, type VisibleTreeRow } from "../events.ts";
import { formatEventName, formatFailureText, getEventIcon, summarizeArguments } from "../words.ts";
import type { TimeRange } from "./axis.ts";

/**
 * Event that a session's state refers to, such as a call that waits for permission, and the label shown on the event.
 * Undefined if the session does not wait for a user.
 */
export interface WaitingEvent {
  id: string;
  words: string;
}

interface RowProps {
  row: VisibleTreeRow;
  index: number;
  /** Distance from the first row in pixels. */
  top: number;
  view: TimeRange;
  begin: number;
  /** End of the bars of open events. */
  end: number;
  selected: boolean;
  entry: boolean;
  folded: boolean;
  waits: WaitingEvent | undefined;
}

/** Row of an event: name, duration, and bar on the time axis. */
export function EventTreeRow({ row, index, top, view, begin, end, selected, entry, folded, waits }: RowProps) {
  const { event, level, position, siblings } = row;
  const leaf = event.children.length === 0;
  const words = event.kind === "turn" ? "" : summarizeArguments(event);
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
        <Icon name={getEventIcon(event)} />
        {event.failed && <span class="sr">Failed: </span>}
        <b dir="auto">{renderPlainRedactedText(formatEventName(event))}</b>{" "}
        {words && <bdi class="mono cut">{renderPlainRedactedText(words)}</bdi>}
      </div>
      <div role="gridcell" class="du">
        {formatDuration(computeEventDuration(event))}
      </div>
      <Bar event={event} view={view} begin={begin} end={end} waits={waits?.id === event.id ? waits.words : ""} />
    </div>
  );
}

/** Bar of an event on the time axis. */
function Bar({
  event,
  view: { from, to },
  begin,
  end: now,
  waits,
}: Pick<RowProps, "view" | "begin" | "end"> & Pick<VisibleTreeRow, "event"> & { waits: string }) {
  const span = to - from;
  const left = ((event.at - from) / span) * 100;
  const right = (((event.open ? now : event.at + (event.latency ?? 0)) - from) / span) * 100;
  const [x, end] = [Math.max(0, left), Math.min(100, right)];
  const visible = right >= 0 && left <= 100;
  const tokens = tokensOf(event);
  const why = formatFailureText(event);
  const marks = event.checkpoints ?? [];
  const described = [
    `from ${formatTimeOffset(event.at - begin)}`,
    waits || (event.open ? "running" : ""),
    tokens && `tokens ${tokens}`,
    why,
    marks.length > 0 ? formatPlural(marks.length, "checkpoint") : "",
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

/** Formats the input and output tokens of a model call: `14.2k → 212`. */
const tokensOf = ({ kind, inputTokens, outputTokens }: VisibleTreeRow["event"]): string =>
  kind === "llm" && inputTokens !== null ? `${formatCount(inputTokens)} → ${formatCount(outputTokens ?? 0)}` : "";
