import type { Signal } from "@preact/signals";
import { type RecordedSessionFilter, Sessions } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { isSessionRunning } from "./row.tsx";
import { isDefaultSort, type SessionSort, toSortInput } from "./sort.ts";
import type { SessionList, SessionRow } from "./store.ts";

/** Arguments of a list's reads. */
export interface SessionListReadOptions {
  list: Signal<SessionList>;
  filter: RecordedSessionFilter;
  sort: SessionSort;
  /**
   * Returns true if new rows may appear immediately, because no row would move while the user reads or presses the
   * list.
   */
  atRest: () => boolean;
  abort: AbortSignal;
}

/**
 * Number of sessions on the first page, and on each further page. The first page is small, so that sessions appear
 * soon.
 */
const FIRST = 60;
const FURTHER = 240;

/**
 * Returns functions that read the sessions that match a filter into a list. If the list is not sorted newest first, the
 * position of new sessions in the list is unknown. New sessions then wait until the user reads the list again.
 */
export function createSessionListReaders({ list, filter, sort, atRest, abort }: SessionListReadOptions) {
  const usual = isDefaultSort(sort);
  const ask = (wanted: RecordedSessionFilter, after: string | null = null) =>
    readSessions(wanted, sort, { first: after ? FURTHER : FIRST, after }, abort);
  const show = ({ nodes, pageInfo }: Awaited<ReturnType<typeof ask>>, waiting: readonly SessionRow[] = []) => {
    list.value = { rows: nodes, loading: false, hasMore: pageInfo.hasNextPage, cursor: pageInfo.endCursor, waiting };
  };
  const missed = async () => {
    const page = await ask(filter);
    if (adjoins(list.peek(), page.nodes) || !page.pageInfo.hasNextPage) addToList(list, page.nodes, usual && atRest());
    else show(page);
  };
  return {
    first: async () => show(await ask(filter)),
    more: async () => {
      const page = await ask(filter, list.peek().cursor);
      show({ ...page, nodes: joined(list.peek().rows, page.nodes) }, list.peek().waiting);
    },
    missed,
    /** Reads the listed sessions again that were running at the last read, at most one page. */
    active: async () => {
      const ids = list.peek().rows.flatMap((row) => (isSessionRunning(row) ? [row.id] : []));
      if (ids.length > 0) addToList(list, (await ask({ id: { in: ids.slice(0, FIRST) } })).nodes, false);
    },
    these: async (ids: string[]) => {
      if (ids.length > FIRST) await missed();
      else if (ids.length > 0)
        addToList(list, (await ask({ and: [filter, { id: { in: ids } }] })).nodes, usual && atRest());
    },
  };
}

/** Reads a page of sessions by filter and order. */
export async function readSessions(
  filter: RecordedSessionFilter,
  sort: SessionSort,
  page: { first: number; after: string | null },
  abort?: AbortSignal,
) {
  const variables = { filter, ...page, ...(!isDefaultSort(sort) && { sort: toSortInput(sort) }) };
  return (await requestGraphQL(Sessions, variables, abort)).recordedSessions;
}

/**
 * Returns true if the first page contains a session that is already in the list. Otherwise unread sessions may lie
 * between the first page and the list, and the list would have a gap.
 */
function adjoins({ rows, waiting }: SessionList, page: readonly SessionRow[]): boolean {
  const known = new Set([...rows, ...waiting].map(({ id }) => id));
  return page.some(({ id }) => known.has(id));
}

/** Updates known rows in place. Adds new rows to the list if `atOnce` is true; otherwise new rows wait. */
function addToList(list: Signal<SessionList>, fresh: readonly SessionRow[], atOnce: boolean): void {
  const { rows, waiting } = list.peek();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = fresh.filter(({ id }) => !known.has(id));
  const changed = replaced(rows, fresh);
  if (atOnce) list.value = { ...list.peek(), rows: mergeRows(changed, [...waiting, ...unknown]), waiting: [] };
  else list.value = { ...list.peek(), rows: changed, waiting: mergeRows(waiting, unknown) };
}

const replaced = (rows: readonly SessionRow[], fresh: readonly SessionRow[]): SessionRow[] => {
  const by = new Map(fresh.map((row) => [row.id, row]));
  return rows.map((row) => by.get(row.id) ?? row);
};

/** Appends the next page to a list, without duplicates. */
function joined(rows: readonly SessionRow[], more: readonly SessionRow[]): SessionRow[] {
  const known = new Set(rows.map(({ id }) => id));
  return [...rows, ...more.filter(({ id }) => !known.has(id))];
}

/** Merges rows without duplicates, newest first. */
export function mergeRows(rows: readonly SessionRow[], more: readonly SessionRow[]): SessionRow[] {
  const by = new Map([...rows, ...more].map((row) => [row.id, row]));
  return [...by.values()].sort((a, b) =>
    a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : a.id < b.id ? 1 : -1,
  );
}
