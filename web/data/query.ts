import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { released } from "../parts/lists/moving.ts";
import type { ApiError } from "./api.ts";
import type { Document } from "./document.ts";
import { request } from "./graphql.ts";

/** The state of a query: data may be there beside an error, when it could not be read again. */
export interface QueryState<Result> {
  data?: Result;
  error?: ApiError;
  loading: boolean;
}

/** A query of the page. */
export interface Query<Result> extends QueryState<Result> {
  reload(): Promise<void>;
}

interface Entry {
  state: Signal<QueryState<unknown>>;
  load(): Promise<void>;
  /** Asks after now, also while an answer is under way, which may be older than what is asked for. */
  reload(): Promise<void>;
  at: number;
  /** Times that it failed in a row with what passes by itself: the server was too busy, or away. */
  failed: number;
}

/** Answers that are kept to be shown at once when a page is come back to. */
const MOST = 40;
/** The pause after which a read that passes by itself is asked for again; it doubles with each, up to the longest. */
const PAUSE_MS = 3_000;
const LONGEST_MS = 60_000;
/** The server may ask for a longer pause than that, up to this. */
const LONGEST_ASKED_MS = 600_000;
/** An answer this young is not asked for again. */
const FRESH_MS = 2_000;

const entries = new Map<string, Entry>();

/** Nothing is asked, and nothing known. */
const NOTHING: Entry = {
  state: signal({ loading: false }),
  load: async () => {},
  reload: async () => {},
  at: Number.POSITIVE_INFINITY,
  failed: 0,
};

/** Forgets every answer: another organization was entered, or nobody is signed in. */
export const forgetQueries = (): void => entries.clear();

/**
 * Asks for a document, shows what is known at once, and what is new when it is there. Without variables nothing is asked.
 * A question that the server was too busy for is asked again by itself, as long as its answer is shown.
 */
export function useQuery<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables | undefined,
): Query<Result> {
  const key = variables && `${document} ${JSON.stringify(variables)}`;
  const entry = useMemo(() => (key && variables ? entryOf(key, document, variables) : NOTHING), [key]);
  useEffect(() => {
    if (performance.now() - entry.at > FRESH_MS) void entry.load();
  }, [entry]);
  const { failed } = entry;
  useEffect(() => {
    if (failed === 0) return;
    const timer = setTimeout(() => void entry.load(), pauseAfter(entry));
    return () => clearTimeout(timer);
  }, [entry, failed]);
  return { ...(entry.state.value as QueryState<Result>), reload: entry.reload };
}

/** Milliseconds until something that failed is asked for again: twice as many each time, and no fewer than the server asks for. */
function pauseAfter({ failed, state }: Entry): number {
  const asked = Math.min(LONGEST_ASKED_MS, state.peek().error?.retryAfterMs ?? 0);
  return Math.max(asked, Math.min(LONGEST_MS, PAUSE_MS * 2 ** (failed - 1)));
}

function entryOf<Result, Variables>(key: string, document: Document<Result, Variables>, variables: Variables): Entry {
  const known = entries.get(key);
  // The last one used stands last; the first is let go.
  entries.delete(key);
  const entry = known ?? newEntry(document, variables);
  entries.set(key, entry);
  for (const oldest of entries.keys()) {
    if (entries.size <= MOST) break;
    entries.delete(oldest);
  }
  return entry;
}

function newEntry<Result, Variables>(document: Document<Result, Variables>, variables: Variables): Entry {
  const state = signal<QueryState<unknown>>({ loading: true });
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      state.value = { ...state.peek(), loading: true };
      const data = await request(document, variables);
      await released();
      entry.failed = 0;
      state.value = { data, loading: false };
      entry.at = performance.now();
    } catch (error) {
      entry.failed = (error as ApiError).passing ? entry.failed + 1 : 0;
      state.value = { ...state.peek(), error: error as ApiError, loading: false };
    }
  };
  const load = () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  let next: Promise<void> | undefined;
  const reload = () => {
    if (!running) return load();
    next ??= running.then(() => {
      next = undefined;
      return load();
    });
    return next;
  };
  const entry: Entry = { state, load, reload, at: Number.NEGATIVE_INFINITY, failed: 0 };
  return entry;
}
