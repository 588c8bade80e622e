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
import { type SessionList, useSessionList } from "./store.ts";
import { Table } from "./table.tsx";
import { filterOf } from "./url-filter.ts";

const RANGES: [value: string, name: string][] = [
  ["-P1D", "Last 24 hours"],
  ["-P7D", "Last 7 days"],
  ["-P30D", "Last 30 days"],
];

/** The recorded sessions, newest first. */
export default function SessionsPage() {
  const { search } = place.value;
  const filter = useMemo(() => filterOf(search), [search.toString()]);
  const [selected, select] = useState(-1);
  const scroll = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const chosen = useRef(-1);
  chosen.current = selected;
  const atRest = () => chosen.current < 0 && (scroll.current?.scrollTop ?? 0) < 8 && scrollY < 8;
  const [list, actions] = useSessionList(filter, atRest);
  const { rows } = list.value;
  const move = (by: number) => select(Math.min(rows.length - 1, Math.max(0, selected + by)));
  const open = () => {
    const row = rows[selected];
    if (row) navigate(`/sessions/${row.id}`);
  };
  const find = () => field.current?.focus();
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
    "/": find,
    f: find,
    x: toggleFailed,
    ".": show,
  });
  return (
    <Page title="Sessions" fixed keys={KEYS}>
      <Head />
      <Overview list={list.value} field={field} />
      {list.value.waiting.length > 0 && (
        <button class="news" type="button" onClick={show}>
          <Icon name="up" class="i-14" />
          {list.value.waiting.length} new {list.value.waiting.length === 1 ? "session" : "sessions"} <kbd>.</kbd>
        </button>
      )}
      <div class="scroll" ref={scroll}>
        <Content list={list.value} filtered={Object.keys(filter).length > 0} retry={actions.reload}>
          <Table list={list.value} selected={selected} select={select} more={actions.more} scroll={scroll} />
        </Content>
      </div>
    </Page>
  );
}

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["/"], "filter"],
  [["X"], "only failures"],
  [["."], "show new"],
];

const rangeOf = (search: URLSearchParams): string => search.get("range") ?? "-P1D";

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
        onChange={(event) => setSearch({ range: event.currentTarget.value, from: undefined, to: undefined }, false)}
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

/** The filters, and the course of the sessions above the list. */
function Overview({ list, field }: { list: SessionList; field: preact.RefObject<HTMLInputElement | null> }) {
  const { search } = place.value;
  const { data, reload } = useQuery(SessionHistogram, { from: rangeOf(search), buckets: 96 });
  useTouched(reload);
  const histogram = data?.recordedSessionHistogram;
  const moment = (name: string) => {
    const at = Date.parse(search.get(name) ?? "");
    return Number.isNaN(at) ? undefined : at;
  };
  const shown = `${plural(list.rows.length, "session")}${list.hasMore ? " and more" : ""}`;
  return (
    <>
      <Filters field={field} summary={shown} />
      {histogram && <HistogramFigure data={histogram} from={moment("from")} to={moment("to")} />}
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
