import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../../data/api.ts";
import { OutlineSearch } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import type { EventTree } from "../events.ts";

/** Result of a search in a session. */
export interface SearchResult {
  count: string;
  /** Ids of the matching events. */
  ids: ReadonlySet<string>;
  /** Ids of the matching events and of all ancestors. */
  within: ReadonlySet<string>;
  /**
   * Set if the search stopped before the end of the session. `at` is the time up to which the session was searched;
   * undefined if no part was searched. `more` continues the search.
   */
  stopped: { at: number | undefined; more: () => void } | undefined;
}

/** Progress of a search. */
interface Hits {
  ids: readonly string[];
  answers: number;
  after?: string;
  stoppedAt?: string;
  /** True while the search continues without the user. */
  running: boolean;
  /** True if the last request failed. The search then continues from the last successful response. */
  failed?: boolean;
}

const PAUSE_MS = 200;
/** Pause in milliseconds after a temporary error, before the next request. */
const BUSY_MS = 1_000;
const MOST = 5_000;
/**
 * Maximum number of responses before the search stops and the user decides whether to continue. Each response covers a
 * limited part of the session.
 */
const ANSWERS = 20;
const NOTHING: Hits = { ids: [], answers: 0, running: true };

/**
 * Searches for a text in the names, arguments and results of a session's events. Returns undefined if the text is
 * empty.
 */
export function useSessionSearch(sessionId: string, text: string, tree: EventTree): SearchResult | undefined {
  const [hits, setHits] = useState<Hits>();
  const known = useRef<{ hits: Hits; of: string } | undefined>(undefined);
  const abort = useRef(new AbortController());
  const wanted = text.trim();
  const of = `${sessionId} ${wanted}`;
  const readOn = (start: Hits) => {
    abort.current.abort();
    abort.current = new AbortController();
    const { signal } = abort.current;
    const show = (now: Hits) => {
      if (signal.aborted) return;
      known.current = { hits: now, of };
      setHits(now);
    };
    void search({ sessionId, text: wanted }, start, { signal, show });
  };
  useEffect(() => {
    const before = known.current?.of === of ? known.current.hits : undefined;
    if (wanted === "") {
      known.current = undefined;
      return setHits(undefined);
    }
    // A stopped search continues only when the user presses the button. New events do not start the search again,
    // because new events come after the time at which the search stopped.
    if (before && isStopped(before)) return;
    // When the session grows, a search with one response starts again, because events may arrive out of order. A search
    // with several responses continues and reads only the new events at the end.
    const start = before && before.answers > 1 ? before : NOTHING;
    const timer = setTimeout(() => readOn(start), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.current.abort();
    };
  }, [of, tree.all.length]);
  const [found, setFound] = useState<SearchResult>();
  const more = () => hits && readOn(hits);
  useEffect(() => setFound(hits && foundIn(hits, tree, more)), [hits, tree]);
  return found;
}

interface Reading {
  signal: AbortSignal;
  show(hits: Hits): void;
}

/** Sends request after request and shows the progress after each response. Retries temporary failures. */
async function search(what: { sessionId: string; text: string }, start: Hits, { signal, show }: Reading) {
  let hits = start;
  for (let n = 1; n === 1 || hits.running; n += 1) {
    const last = n >= ANSWERS;
    hits = await readPart(what, hits, { signal, last }).catch((error: unknown) => {
      const running = error instanceof ApiError && error.passing && !last;
      return { ...hits, running, failed: true };
    });
    if (signal.aborted) return;
    show(hits);
    if (hits.failed && hits.running) await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
  }
}

/** Reads the next part and returns the extended progress. */
async function readPart(
  what: { sessionId: string; text: string },
  hits: Hits,
  { signal, last }: { signal: AbortSignal; last: boolean },
): Promise<Hits> {
  const variables = { ...what, first: MOST, after: hits.after ?? null };
  const { recordedOutline: page } = await requestGraphQL(OutlineSearch, variables, signal);
  const ids = [...hits.ids, ...page.ids.map(String)];
  const running = page.hasNextPage && !last && page.ids.length < MOST;
  const { endCursor, stoppedAt } = page;
  const after = endCursor === null ? hits.after : String(endCursor);
  return { ids, answers: hits.answers + 1, ...(after && { after }), ...(stoppedAt && { stoppedAt }), running };
}

const isStopped = ({ running, stoppedAt, failed }: Hits): boolean => !running && (failed || stoppedAt !== undefined);

function foundIn(hits: Hits, tree: EventTree, more: () => void): SearchResult {
  const { ids, stoppedAt, failed } = hits;
  const within = new Set<string>();
  for (const id of ids) {
    for (let at = tree.byId.get(id) ?? null; at && !within.has(at.id); at = at.parent) within.add(at.id);
  }
  const stopped = isStopped(hits) ? { at: stoppedAt ? Date.parse(stoppedAt) : undefined, more } : undefined;
  return {
    count: `${ids.length}${stoppedAt || failed ? "+" : ""} found`,
    ids: new Set(ids),
    within,
    stopped,
  };
}
