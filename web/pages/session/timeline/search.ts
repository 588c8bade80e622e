import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../../data/api.ts";
import { OutlineSearch } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import type { EventTree } from "../events.ts";

/** The place a text was found in. */
export interface Found {
  count: string;
  /** The events. */
  ids: ReadonlySet<string>;
  /** The events, and those above them. */
  within: ReadonlySet<string>;
  /** The moment up to which the session was read, where that is not its end, and how to go on; none is its beginning. */
  stopped: { at: number | undefined; more: () => void } | undefined;
}

/** The progress of a search. */
interface Hits {
  ids: readonly string[];
  answers: number;
  after?: string;
  stoppedAt?: string;
  /** True if it goes on by itself. */
  running: boolean;
  /** The last answer was an error: nothing behind it was read. */
  failed?: boolean;
}

const PAUSE_MS = 200;
/** A service that is busy is asked again after so long. */
const BUSY_MS = 1_000;
const MOST = 5_000;
/** An answer reads a bounded part of the session: so many are asked for before the reader is asked whether to go on. */
const ANSWERS = 20;
const NOTHING: Hits = { ids: [], answers: 0, running: true };

/** Finds a text in the names, arguments and results of a session; nothing while there is none. */
export function useFound(sessionId: string, text: string, tree: EventTree): Found | undefined {
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
    // It waits for "go on": what came meanwhile stands behind that.
    if (before && isStopped(before)) return;
    // A search of one answer is read anew as the session grows, since something may have come late; of a longer one the
    // end is.
    const start = before && before.answers > 1 ? before : NOTHING;
    const timer = setTimeout(() => readOn(start), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.current.abort();
    };
  }, [of, tree.all.length]);
  const [found, setFound] = useState<Found>();
  const more = () => hits && readOn(hits);
  useEffect(() => setFound(hits && foundIn(hits, tree, more)), [hits, tree]);
  return found;
}

interface Reading {
  signal: AbortSignal;
  show(hits: Hits): void;
}

/** Asks answer after answer, and shows after each how far it came. What passes by itself is asked for again. */
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

/** The hits with one answer more. */
async function readPart(
  what: { sessionId: string; text: string },
  hits: Hits,
  { signal, last }: { signal: AbortSignal; last: boolean },
): Promise<Hits> {
  const variables = { ...what, first: MOST, after: hits.after ?? null };
  const { recordedOutline: page } = await request(OutlineSearch, variables, signal);
  const ids = [...hits.ids, ...page.ids.map(String)];
  const running = page.hasNextPage && !last && page.ids.length < MOST;
  const { endCursor, stoppedAt } = page;
  const after = endCursor === null ? hits.after : String(endCursor);
  return { ids, answers: hits.answers + 1, ...(after && { after }), ...(stoppedAt && { stoppedAt }), running };
}

const isStopped = ({ running, stoppedAt, failed }: Hits): boolean => !running && (failed || stoppedAt !== undefined);

function foundIn(hits: Hits, tree: EventTree, more: () => void): Found {
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
