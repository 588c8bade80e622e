import { useMemo, useRef, useState } from "preact/hooks";
import { SessionHistogram } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { live } from "../../data/realtime.ts";
import { useTouched } from "../../data/touched.ts";
import { plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Empty, Failure, Skeleton } from "../../parts/states.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { navigate, place, setSearch } from "../../shell/router.ts";
import { Filters, toggleFailed } from "./filters.tsx";
import { HistogramFigure } from "./histogram.tsx";
import { Results } from "./results.tsx";
import { sortOf } from "./sort.ts";
import { type SessionList, useSessionList } from "./store.ts";
import { Table } from "./table.tsx";
import { filterOf, narrowedTo, rangeOf, searchFilterOf } from "./url-filter.ts";

type Field = preact.RefObject<HTMLInputElement | null>;

const RANGES: [value: string, name: string][] = [
  ["-P1D", "Last 24 hours"],
  ["-P7D", "Last 7 days"],
  ["-P30D", "Last 30 days"],
];

/** The recorded sessions, newest first unless sorted; or the events that say a text. */
export default function SessionsPage() {
  const text = place.value.search.get("q");
  const field = useRef<HTMLInputElement>(null);
  const find = () => field.current?.focus();
  useKeys({ "/": find, f: find, x: toggleFailed });
  return (
    <Page title="Sessions" fixed keys={KEYS}>
      <Head />
      {text ? <Searched text={text} field={field} /> : <Listed field={field} />}
    </Page>
  );
}

/** What a text finds. */
function Searched({ text, field }: { text: string; field: Field }) {
  const { search } = place.value;
  const { from = rangeOf(search), to } = narrowedTo(search);
  return (
    <>
      <Overview summary="" field={field} />
      <div class="scroll">
        <Results term={text} from={from} to={to} filter={searchFilterOf(search)} />
      </div>
    </>
  );
}

function Listed({ field }: { field: Field }) {
  const { search } = place.value;
  const filter = useMemo(() => filterOf(search), [search.toString()]);
  const sort = sortOf(search);
  const [selected, select] = useState(-1);
  const scroll = useRef<HTMLDivElement>(null);
  const chosen = useRef(-1);
  chosen.current = selected;
  const atRest = () => chosen.current < 0 && (scroll.current?.scrollTop ?? 0) < 8 && scrollY < 8;
  const [list, actions] = useSessionList(filter, sort, atRest);
  const { rows, waiting, hasMore } = list.value;
  const move = (by: number) => select(Math.min(rows.length - 1, Math.max(0, selected + by)));
  const open = () => {
    const row = rows[selected];
    if (row) navigate(`/sessions/${row.id}`);
  };
  const show = () => {
    actions.showWaiting();
    select(-1);
    scroll.current?.scrollTo({ top: 0 });
  };
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Enter: open,
    Escape: () => select(-1),
    ".": show,
  });
  return (
    <>
      <Overview summary={`${plural(rows.length, "session")}${hasMore ? " and more" : ""}`} field={field} />
      {waiting.length > 0 && (
        <button class="news" type="button" onClick={show}>
          <Icon name="up" class="i-14" />
          {waiting.length} new {waiting.length === 1 ? "session" : "sessions"} <kbd>.</kbd>
        </button>
      )}
      <div class="scroll" ref={scroll}>
        <Content list={list.value} filtered={Object.keys(filter).length > 0} retry={actions.reload}>
          <Table list={list.value} selected={selected} select={select} more={actions.more} scroll={scroll} />
        </Content>
      </div>
    </>
  );
}

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["/"], "filter"],
  [["X"], "only failures"],
  [["."], "show new"],
];

const Head = () => (
  <header class="head">
    <h1>Sessions</h1>
    {live.value && (
      <span class="badge acc" title="New sessions arrive by themselves">
        <span class="beat acc" />
        Live
      </span>
    )}
    <div class="acts">
      <select
        class="in"
        aria-label="Time shown above the list"
        value={rangeOf(place.value.search)}
        onChange={(event) =>
          setSearch({ range: event.currentTarget.value, from: undefined, to: undefined, zoom: undefined }, false)
        }
      >
        {RANGES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  </header>
);

/** The filters, and the course of the sessions above the list: of the time chosen, or of the part that is zoomed into. */
function Overview({ summary, field }: { summary: string; field: Field }) {
  const { search } = place.value;
  const { from, to } = narrowedTo(search);
  const zoomed = search.has("zoom") && from !== undefined;
  const range = zoomed ? { from, ...(to && { to }) } : { from: rangeOf(search) };
  const { data, error, reload } = useQuery(SessionHistogram, { ...range, buckets: 96 });
  useTouched(reload);
  const moment = (text: string | undefined) => {
    const at = Date.parse(text ?? "");
    return Number.isNaN(at) ? undefined : at;
  };
  return (
    <>
      <Filters field={field} summary={summary} />
      {data && (
        <HistogramFigure
          data={data.recordedSessionHistogram}
          from={zoomed ? undefined : moment(from)}
          to={zoomed ? undefined : moment(to)}
          zoomed={zoomed}
        />
      )}
      {error && !data && <Failure words={error.message} retry={reload} />}
    </>
  );
}

interface ContentProps {
  list: SessionList;
  filtered: boolean;
  retry: () => void;
  children: preact.ComponentChildren;
}

/** The list, or what it is instead. */
function Content({ list, filtered, retry, children }: ContentProps) {
  if (list.rows.length > 0) return <>{children}</>;
  if (list.error) return <Failure words={list.error.message} retry={retry} />;
  if (list.loading) return <Skeleton />;
  if (filtered) {
    return (
      <Empty icon="filter" title="No session fits these filters">
        <div class="row">
          <a class="btn" href="/sessions">
            Show all sessions
          </a>
        </div>
      </Empty>
    );
  }
  return (
    <Empty icon="sessions" title="Nothing is recorded yet">
      <p>Connect an agent, and each of its sessions appears here as it happens.</p>
      <div class="row">
        <a class="btn pri" href="/connect">
          Connect an agent
        </a>
      </div>
    </Empty>
  );
}
