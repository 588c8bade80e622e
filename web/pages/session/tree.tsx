import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, duration, offset, plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { useVirtual } from "../../parts/virtual.ts";
import { ticksOf, type View } from "./axis.ts";
import type { TreeRow } from "./events.ts";
import { about, failureOf, iconOf, nameOf } from "./words.ts";

interface TreeProps {
  rows: readonly TreeRow[];
  view: View;
  begin: number;
  selected: string | undefined;
  folded: ReadonlySet<string>;
  select: (id: string) => void;
  toggle: (id: string) => void;
  /** Zooms around a moment. */
  zoom: (factor: number, around: number) => void;
}

const ROW = 28;
const PHONE_ROW = 44;
const HEAD = 28;

/** Tree and waterfall, side by side; of many rows only those in view are made. */
export function Tree(props: TreeProps) {
  const { rows, view, begin, selected, folded, select, toggle } = props;
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [size] = useState(() => (matchMedia("(max-width: 767px)").matches ? PHONE_ROW : ROW));
  const { items, total, margin, scrollTo } = useVirtual({ count: rows.length, size, element: box, before: HEAD });
  const { step, ticks } = ticksOf(view, begin);
  const at = useMemo(() => (selected ? rows.findIndex(({ event }) => event.id === selected) : -1), [rows, selected]);
  useLayoutEffect(() => {
    if (at >= 0) scrollTo(at);
  }, [selected, at >= 0]);
  useEffect(() => {
    // The focus follows the selection, unless somebody is typing.
    if (at < 0 || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "")) return;
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true }),
    );
  }, [selected]);
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const wf = box.current?.querySelector(".thead .wf")?.getBoundingClientRect();
    if (wf)
      props.zoom(
        event.deltaY > 0 ? 1.25 : 0.8,
        view.from + ((event.clientX - wf.left) / wf.width) * (view.to - view.from),
      );
  };
  useEffect(() => {
    const element = box.current;
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  });
  return (
    <div
      class="tree"
      role="treegrid"
      aria-label="Events of the session"
      aria-rowcount={rows.length + 1}
      aria-readonly="true"
      ref={box}
      style={{ "--tick": step }}
    >
      <div role="rowgroup">
        <div role="row" class="thead" aria-rowindex={1}>
          <div role="columnheader">Event</div>
          <div role="columnheader" class="du plain-du">
            Duration
          </div>
          <div role="columnheader" class="wf">
            <span class="sr">Time</span>
            {ticks.map(({ x, name }) => (
              <span key={name} style={{ "--x": x }} aria-hidden="true">
                {name}
              </span>
            ))}
          </div>
        </div>
      </div>
      <div role="rowgroup" class="rows" ref={body} style={{ height: `${total}px` }}>
        <div role="presentation" class="lines" />
        <div role="presentation">
          {items.map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <Row
                  key={row.event.id}
                  row={row}
                  index={index}
                  top={start - margin}
                  from={view.from}
                  to={view.to}
                  begin={begin}
                  selected={row.event.id === selected}
                  entry={index === Math.max(at, 0)}
                  folded={folded.has(row.event.id)}
                  select={select}
                  toggle={toggle}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  row: TreeRow;
  index: number;
  /** Px from the first row: what stands elsewhere stays where it is while somebody scrolls, and is not drawn again. */
  top: number;
  from: number;
  to: number;
  begin: number;
  selected: boolean;
  entry: boolean;
  folded: boolean;
  select: (id: string) => void;
  toggle: (id: string) => void;
}

/** Made again only when something of it changed: thousands pass by while somebody scrolls. */
const Row = (props: RowProps) => useMemo(() => <RowOf {...props} />, Object.values(props));

function RowOf({ row, index, top, from, to, begin, selected, entry, folded, select, toggle }: RowProps) {
  const { event, level, position, siblings } = row;
  const leaf = event.children.length === 0;
  const words = about(event);
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
      style={{ top: `${top}px` }}
      onClick={() => select(event.id)}
    >
      <div role="gridcell" class="nm" style={{ "--lv": Math.min(level, 24) }}>
        <span
          class="tw"
          aria-hidden="true"
          onClick={(click) => {
            if (leaf) return;
            click.stopPropagation();
            toggle(event.id);
          }}
        >
          {!leaf && <Icon name="right" class="i-14" />}
        </span>
        <Icon name={iconOf(event)} />
        {event.failed && <span class="sr">Failed: </span>}
        <b>
          <bdi>{nameOf(event)}</bdi>
        </b>
        {words && event.kind !== "turn" && <bdi class="mono cut">{words}</bdi>}
      </div>
      <div role="gridcell" class="du">
        {duration(event.latency)}
      </div>
      <Bar event={event} from={from} to={to} begin={begin} />
    </div>
  );
}

/** When it ran, on the axis of time. */
function Bar({ event, from, to, begin }: { event: TreeRow["event"]; from: number; to: number; begin: number }) {
  const span = to - from;
  const left = ((event.at - from) / span) * 100;
  const right = event.open ? 100 : ((event.at + (event.latency ?? 0) - from) / span) * 100;
  const [x, end] = [Math.max(0, left), Math.min(100, right)];
  const visible = right >= 0 && left <= 100;
  const tokens = tokensOf(event);
  const why = failureOf(event);
  const marks = event.checkpoints ?? [];
  const described = [
    `from ${offset(event.at - begin)}`,
    event.open ? "running" : "",
    tokens && `tokens ${tokens}`,
    why,
    marks.length > 0 ? plural(marks.length, "checkpoint") : "",
  ];
  const place = { "--x": x, "--w": Math.max(0, end - x) };
  return (
    <div role="gridcell" class="wf" aria-label={described.filter(Boolean).join(", ")}>
      {visible && (
        <span class={`wb ${event.kind}${event.failed ? " bad" : ""}${event.open ? " live" : ""}`} style={place} />
      )}
      {visible && !why && tokens && (
        <span class={end > 80 ? "wl left" : "wl"} style={place} aria-hidden="true">
          {tokens}
        </span>
      )}
      {visible && why && (
        <span class={end > 80 ? "wl bad left" : "wl bad"} style={place} aria-hidden="true">
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

/** What a call of a model read and wrote: `14.2k → 212`. */
const tokensOf = ({ kind, inputTokens, outputTokens }: TreeRow["event"]): string =>
  kind === "llm" && inputTokens !== null ? `${count(inputTokens)} → ${count(outputTokens ?? 0)}` : "";
