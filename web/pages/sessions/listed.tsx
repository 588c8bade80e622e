import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RecordedSessionFilter } from "../../data/documents.ts";
import { Icon } from "../../parts/icon.tsx";
import { isPointerPressed } from "../../parts/lists/moving.ts";
import { EmptyState, LoadError, LoadingPlaceholder } from "../../parts/states.tsx";
import { useHistoryState } from "../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { appLocation, navigate } from "../../shell/router.ts";
import { SessionsOverview } from "./overview.tsx";
import { SessionPreview } from "./peek.tsx";
import { readSessionSort } from "./sort.ts";
import { type SessionList, type SessionRow, useSessionList } from "./store.ts";
import { SessionTable } from "./table.tsx";
import { buildSessionFilter } from "./url-filter.ts";

interface ListedProps {
  field: RefObject<HTMLInputElement | null>;
  /** True if new sessions are held back until the user shows them, even if the list is not scrolled. */
  held: boolean;
}

type Scroll = RefObject<HTMLDivElement | null>;

/** List of the sessions that match the filters in the URL, and a preview of the chosen session. */
export function SessionListPanel({ field, held }: ListedProps) {
  const { search } = appLocation.value;
  const filter = useMemo(() => buildSessionFilter(search), [search.toString()]);
  const [chosen, choose] = useHistoryState("chosen session", "");
  const [peeks, peek] = useHistoryState("peek", false);
  const scroll = useRef<HTMLDivElement>(null);
  const [list, actions] = useLiveSessionList(filter, { held, chosen, scroll });
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
      <SessionsOverview field={field} />
      <NewSessions count={waiting.length} show={showNew} />
      <div class="scroll" ref={scroll}>
        <Content list={list.value} filtered={Object.keys(filter).length > 0} retry={actions.reload}>
          <SessionTable list={list.value} selected={selected} select={select} more={actions.more} scroll={scroll} />
        </Content>
      </div>
      {shown && <SessionPreview row={shown} close={() => peek(false)} />}
    </>
  );
}

/**
 * Reads the list of sessions. New sessions appear immediately only while the list is not scrolled, no session is
 * chosen, no pointer is pressed and new sessions are not held back. Otherwise rows would move while the user reads the
 * list.
 */
function useLiveSessionList(filter: RecordedSessionFilter, state: { held: boolean; chosen: string; scroll: Scroll }) {
  const now = useRef(state);
  now.current = state;
  const atRest = () => {
    const { held, chosen, scroll } = now.current;
    return !held && !chosen && !isPointerPressed.peek() && (scroll.current?.scrollTop ?? 0) < 8 && scrollY < 8;
  };
  const [list, actions] = useSessionList(filter, readSessionSort(appLocation.value.search), atRest);
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

/** Handles the keys of the list. */
function useListKeys({ rows, selected, select, peeks, peek, showNew }: ListControls): void {
  const move = (by: number) => select(Math.min(rows.length - 1, Math.max(0, selected + by)));
  const open = () => {
    const row = rows[selected];
    if (row) navigate(`/sessions/${row.id}`);
  };
  useKeyboardShortcuts({
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

/**
 * Button with the number of new sessions. The button moves the rows below, so it never appears while the user presses
 * a pointer.
 */
function NewSessions({ count, show }: { count: number; show: () => void }) {
  const announced = useRef(false);
  announced.current = count > 0 && (announced.current || !isPointerPressed.value);
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

/** Shows the list. If the list is empty, shows an error, a placeholder while sessions load, or a hint. */
function Content({ list, filtered, retry, children }: ContentProps) {
  if (list.rows.length > 0) return <>{children}</>;
  if (list.error) return <LoadError words={list.error.message} retry={retry} />;
  if (list.loading) return <LoadingPlaceholder />;
  const words = filtered ? "Show all sessions" : "Connect an agent";
  return (
    <EmptyState
      icon={filtered ? "filter" : "sessions"}
      title={filtered ? "No matching sessions" : "No sessions recorded yet"}
    >
      {!filtered && <p>Connect an agent. Its sessions appear here while they run.</p>}
      <div class="row">
        <a class={filtered ? "btn" : "btn pri"} href={filtered ? "/sessions" : "/connect"}>
          {words}
        </a>
      </div>
    </EmptyState>
  );
}
