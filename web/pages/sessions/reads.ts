import type { Signal } from "@preact/signals";
import { type RecordedSessionFilter, Sessions } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { isActive } from "./row.tsx";
import { isUsual, type Sort, sortInput } from "./sort.ts";
import type { SessionList, SessionRow } from "./store.ts";

/** The parts of a list's reads. */
export interface ListParts {
  list: Signal<SessionList>;
  filter: RecordedSessionFilter;
  sort: Sort;
  /** True if nothing would move under somebody's eyes. */
  atRest: () => boolean;
  abort: AbortSignal;
}

/** The first page is small, so that something is to be seen soon. */
const FIRST = 60;
const FURTHER = 240;

/**
 * The ways to read sessions of a filter into its list. In a list that is not the newest first what is new has no place
 * that is known here: it waits, and to show it the list is read anew.
 */
export function listReads({ list, filter, sort, atRest, abort }: ListParts) {
  const usual = isUsual(sort);
  const ask = (wanted: RecordedSessionFilter, after: string | null = null) =>
    readSessions(wanted, sort, { first: after ? FURTHER : FIRST, after }, abort);
  const show = ({ nodes, pageInfo }: Awaited<ReturnType<typeof ask>>, waiting: readonly SessionRow[] = []) => {
    list.value = { rows: nodes, loading: false, hasMore: pageInfo.hasNextPage, cursor: pageInfo.endCursor, waiting };
  };
  const missed = async () => {
    const page = await ask(filter);
    if (adjoins(list.peek(), page.nodes) || !page.pageInfo.hasNextPage) takeIn(list, page.nodes, usual && atRest());
    else show(page);
  };
  return {
    first: async () => show(await ask(filter)),
    more: async () => {
      const page = await ask(filter, list.peek().cursor);
      show({ ...page, nodes: joined(list.peek().rows, page.nodes) }, list.peek().waiting);
    },
    missed,
    /** Reads anew, of the rows that are known, those that went on when they were read. */
    active: async () => {
      const ids = list.peek().rows.flatMap((row) => (isActive(row) ? [row.id] : []));
      if (ids.length > 0) takeIn(list, (await ask({ id: { in: ids.slice(0, FIRST) } })).nodes, false);
    },
    these: async (ids: string[]) => {
      if (ids.length > FIRST) await missed();
      else if (ids.length > 0)
        takeIn(list, (await ask({ and: [filter, { id: { in: ids } }] })).nodes, usual && atRest());
    },
  };
}

/** Reads a page of the sessions of a filter, in an order. */
export async function readSessions(
  filter: RecordedSessionFilter,
  sort: Sort,
  page: { first: number; after: string | null },
  abort?: AbortSignal,
) {
  const variables = { filter, ...page, ...(!isUsual(sort) && { sort: sortInput(sort) }) };
  return (await request(Sessions, variables, abort)).recordedSessions;
}

/** True if there is nothing unread between the list and the first page: else a gap would stand in it. */
function adjoins({ rows, waiting }: SessionList, page: readonly SessionRow[]): boolean {
  const known = new Set([...rows, ...waiting].map(({ id }) => id));
  return page.some(({ id }) => known.has(id));
}

/** Known rows are changed where they stand; what is new is put in its place, or waits. */
function takeIn(list: Signal<SessionList>, fresh: readonly SessionRow[], atOnce: boolean): void {
  const { rows, waiting } = list.peek();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = fresh.filter(({ id }) => !known.has(id));
  const changed = replaced(rows, fresh);
  if (atOnce) list.value = { ...list.peek(), rows: merged(changed, [...waiting, ...unknown]), waiting: [] };
  else list.value = { ...list.peek(), rows: changed, waiting: merged(waiting, unknown) };
}

const replaced = (rows: readonly SessionRow[], fresh: readonly SessionRow[]): SessionRow[] => {
  const by = new Map(fresh.map((row) => [row.id, row]));
  return rows.map((row) => by.get(row.id) ?? row);
};

/** Rows of a list and of its next page, each once, in the order in which they were read. */
function joined(rows: readonly SessionRow[], more: readonly SessionRow[]): SessionRow[] {
  const known = new Set(rows.map(({ id }) => id));
  return [...rows, ...more.filter(({ id }) => !known.has(id))];
}

/** Rows of both, each once, the newest first. */
export function merged(rows: readonly SessionRow[], more: readonly SessionRow[]): SessionRow[] {
  const by = new Map([...rows, ...more].map((row) => [row.id, row]));
  return [...by.values()].sort((a, b) =>
    a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : a.id < b.id ? 1 : -1,
  );
}
