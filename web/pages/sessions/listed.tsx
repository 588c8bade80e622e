import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RecordedSessionFilter } from "../../data/documents.ts";
import { Icon } from "../../parts/icon.tsx";
import { pressed } from "../../parts/lists/moving.ts";
import { Empty, Failure, Skeleton } from "../../parts/states.tsx";
import { useKept } from "../../shell/kept.ts";
import { useKeys } from "../../shell/keys.ts";
import { navigate, place } from "../../shell/router.ts";
import { Overview } from "./overview.tsx";
import { Peek } from "./peek.tsx";
import { sortOf } from "./sort.ts";
import { type SessionList, type SessionRow, useSessionList } from "./store.ts";
import { Table } from "./table.tsx";
import { filterOf } from "./url-filter.ts";

interface ListedProps {
  field: RefObject<HTMLInputElement | null>;
  /** True if new sessions wait, wherever the list stands. */
  held: boolean;
}

type Scroll = RefObject<HTMLDivElement | null>;

/** The sessions that pass the filters of the address, and a glance at the one that is chosen. */
export function Listed({ field, held }: ListedProps) {
  const { search } = place.value;
  const filter = useMemo(() => filterOf(search), [search.toString()]);
  const [chosen, choose] = useKept("chosen session", "");
  const [peeks, peek] = useKept("peek", false);
  const scroll = useRef<HTMLDivElement>(null);
  const [list, actions] = useLiveList(filter, { held, chosen, scroll });
  const { rows, waiting } = list.value;
  const selected = useMemo(() => (chosen ? rows.findIndex(({ id }) => id === chosen) : -1), [rows, chosen]);
  const select = (index: number) => choose(rows[index]?.id ?? "");
  const showNew = () => {
    actions.showWaiting();
    select(-1);
    scroll.current?.scrollTo({ top: 0 });
  };
  useListKeys({ rows, selected, select, peeks, peek, showNew });
  const shown = peeks ? rows[selected] : undefined;
  return (
    <>
      <Overview field={field} />
      <NewSessions count={waiting.length} show={showNew} />
      <div class="scroll" ref={scroll}>
        <Content list={list.value} filtered={Object.keys(filter).length > 0} retry={actions.reload}>
          <Table list={list.value} selected={selected} select={select} more={actions.more} scroll={scroll} />
        </Content>
      </div>
      {shown && <Peek row={shown} close={() => peek(false)} />}
    </>
  );
}

/** The sessions, to which new ones come by themselves while nothing would move under somebody's eyes. */
function useLiveList(filter: RecordedSessionFilter, state: { held: boolean; chosen: string; scroll: Scroll }) {
  const now = useRef(state);
  now.current = state;
  const atRest = () => {
    const { held, chosen, scroll } = now.current;
    return !held && !chosen && !pressed.peek() && (scroll.current?.scrollTop ?? 0) < 8 && scrollY < 8;
  };
  const [list, actions] = useSessionList(filter, sortOf(place.value.search), atRest);
  useEffect(() => {
    if (list.peek().waiting.length > 0 && atRest()) actions.showWaiting();
  }, [state.held]);
  return [list, actions] as const;
}

interface ListControls {
  rows: readonly SessionRow[];
  selected: number;
  select: (index: number) => void;
  peeks: boolean;
  peek: (on: boolean) => void;
  showNew: () => void;
}

/** The keys of the list. */
function useListKeys({ rows, selected, select, peeks, peek, showNew }: ListControls): void {
  const move = (by: number) => select(Math.min(rows.length - 1, Math.max(0, selected + by)));
  const open = () => {
    const row = rows[selected];
    if (row) navigate(`/sessions/${row.id}`);
  };
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Enter: open,
    " ": () => {
      if (selected < 0) move(1);
      peek(!peeks || selected < 0);
    },
    Escape: () => (peeks ? peek(false) : select(-1)),
    ".": showNew,
  });
}

/** Says how many new sessions wait. It moves the rows below as it comes: not while a pointer is pressed on one. */
function NewSessions({ count, show }: { count: number; show: () => void }) {
  const announced = useRef(false);
  announced.current = count > 0 && (announced.current || !pressed.value);
  return announced.current ? (
    <button class="news" type="button" onClick={show}>
      <Icon name="up" class="i-14" />
      {count} new {count === 1 ? "session" : "sessions"} <kbd>.</kbd>
    </button>
  ) : null;
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
  const words = filtered ? "Show all sessions" : "Connect an agent";
  return (
    <Empty
      icon={filtered ? "filter" : "sessions"}
      title={filtered ? "No session fits these filters" : "Nothing is recorded yet"}
    >
      {!filtered && <p>Connect an agent, and each of its sessions appears here as it happens.</p>}
      <div class="row">
        <a class={filtered ? "btn" : "btn pri"} href={filtered ? "/sessions" : "/connect"}>
          {words}
        </a>
      </div>
    </Empty>
  );
}
