import { useRef, useState } from "preact/hooks";
import { getOwnProperty } from "../../../formats/own.ts";
import type { SessionHistogramQuery } from "../../data/documents.ts";
import { formatDuration, formatExactTime } from "../../parts/texts/format.ts";
import { buildTimeTicks } from "../../parts/time/moments.ts";
import { setSearchParameters } from "../../shell/router.ts";
import { HistogramBars } from "./bars.tsx";

type Histogram = SessionHistogramQuery["recordedSessionHistogram"];

interface HistogramProps {
  data: Histogram;
  /** Selected time range, in milliseconds since 1970. */
  from: number | undefined;
  to: number | undefined;
  /** True if the chart shows only the selected range. */
  zoomed: boolean;
}

/** Chart of sessions and failures over time. Dragging selects a time range. */
export function SessionHistogramChart({ data, from, to, zoomed }: HistogramProps) {
  const [begin, end] = [Date.parse(data.from), Date.parse(data.to)];
  const plot = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<[number, number]>();
  const share = (event: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect();
    return box ? Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) : 0;
  };
  const narrow = ([one, other]: [number, number]) => {
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    if (high - low < 0.005) return;
    const at = (part: number) => new Date(begin + part * (end - begin)).toISOString();
    setSearchParameters({ from: at(low), to: high > 0.995 ? undefined : at(high) }, false);
  };
  const chosen = from !== undefined || to !== undefined;
  const range = drag ?? [((from ?? begin) - begin) / (end - begin), ((to ?? end) - begin) / (end - begin)];
  return (
    <figure class="hist">
      <figcaption>
        <span class="key">
          <i />
          Sessions
        </span>
        <span class="key">
          <i class="f" />
          with failures
        </span>
        <span class="only-wide">{each(data, end - begin)}</span>
        <Zoom chosen={chosen} zoomed={zoomed} />
      </figcaption>
      <div
        class="plot"
        ref={plot}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([share(event), share(event)]);
        }}
        onPointerMove={(event) => drag && setDrag([drag[0], share(event)])}
        onPointerUp={() => {
          if (drag) narrow(drag);
          setDrag(undefined);
        }}
      >
        <HistogramBars data={data} />
        <Brush range={range as [number, number]} whole={!chosen && !drag} narrow={narrow} begin={begin} end={end} />
      </div>
      <Axis begin={begin} end={end} />
    </figure>
  );
}

/** Formats the length of one bar's interval: `one bar per 15 m`. */
const each = ({ buckets }: Histogram, ms: number): string =>
  buckets.length > 0 ? `one bar per ${formatDuration(ms / buckets.length).replace(/ 00 [sm]$/, "")}` : "";

/** Buttons that zoom into the selected range, and out again. */
function Zoom({ chosen, zoomed }: { chosen: boolean; zoomed: boolean }) {
  const button = (words: string, changes: Record<string, string | undefined>) => (
    <button class="btn quiet thin" type="button" onClick={() => setSearchParameters(changes, false)}>
      {words}
    </button>
  );
  return (
    <span class="row end">
      {chosen && button("Zoom in", { zoom: "1" })}
      {zoomed && button("Zoom out", { zoom: undefined })}
      {chosen || zoomed ? (
        button("Reset", { from: undefined, to: undefined, zoom: undefined })
      ) : (
        <span class="only-wide">Drag to select a time range</span>
      )}
    </span>
  );
}

interface BrushProps {
  range: [number, number];
  /** True if no time range is selected. The handles are then visible only with keyboard focus. */
  whole: boolean;
  narrow: (range: [number, number]) => void;
  begin: number;
  end: number;
}

/**
 * Selected time range of the chart, with a handle at each end. The arrow keys move the focused handle, even if no range
 * is selected yet.
 */
function Brush({ range: [low, high], whole, narrow, begin, end }: BrushProps) {
  const step = { ArrowLeft: -0.02, ArrowRight: 0.02 } as Record<string, number>;
  const edge = (name: string, value: number, moved: (to: number) => [number, number]) => (
    <span
      class={`edge ${name}`}
      role="slider"
      tabIndex={0}
      aria-label={name === "low" ? "Start of the time range" : "End of the time range"}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value * 100)}
      aria-valuetext={formatExactTime(begin + value * (end - begin))}
      onKeyDown={(event) => {
        const by = getOwnProperty(step, event.key);
        if (by === undefined) return;
        event.preventDefault();
        narrow(moved(Math.min(1, Math.max(0, value + by))));
      }}
    />
  );
  const [left, right] = [Math.min(low, high), Math.max(low, high)];
  return (
    <div class={whole ? "brush whole" : "brush"} style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}>
      {edge("low", left, (to) => [to, right])}
      {edge("high", right, (to) => [left, to])}
    </div>
  );
}

/**
 * Positions on the axis, in percent, between which tick labels fit. A label outside these positions would be cut off or
 * overlap "now".
 */
const EDGES = [1, 86] as const;

function Axis({ begin, end }: { begin: number; end: number }) {
  const ticks = buildTimeTicks(begin, end).map(({ at, name }) => ({ x: ((at - begin) / (end - begin)) * 100, name }));
  return (
    <div class="axis ticks" aria-hidden="true">
      {ticks
        .filter(({ x }) => x >= EDGES[0] && x <= EDGES[1])
        .map(({ x, name }) => (
          <span key={x} style={{ "--x": x }}>
            {name}
          </span>
        ))}
      {end > Date.now() - 60_000 && <span class="last">now</span>}
    </div>
  );
}
