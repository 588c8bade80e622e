import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { waitForPointerRelease } from "../parts/lists/moving.ts";
import type { ApiError } from "./api.ts";
import type { GraphQLDocument } from "./document.ts";
import { requestGraphQL } from "./graphql.ts";

/** State of a query. `data` and `error` are both set when a later read failed. */
export interface QueryState<Result> {
  data?: Result;
  error?: ApiError;
  loading: boolean;
}

/** State of a query, and a function that reads again. */
export interface Query<Result> extends QueryState<Result> {
  reload(): Promise<void>;
}

interface Entry {
  state: Signal<QueryState<unknown>>;
  load(): Promise<void>;
  /**
   * Starts a new read. If a request is in flight, the new read begins after the response, because the response may be
   * older than the change.
   */
  reload(): Promise<void>;
  at: number;
  /** Number of temporary failures in a row: the server was busy or unreachable. */
  failed: number;
}

/** Maximum number of cached results. A cached result is shown immediately when the user returns to a page. */
const MOST = 40;
/** Pause before a failed read is retried. The pause doubles with each failure, up to LONGEST_MS. */
const PAUSE_MS = 3_000;
const LONGEST_MS = 60_000;
/** Longest pause that the server's Retry-After can set, in ms. A longer Retry-After counts as this pause. */
const LONGEST_ASKED_MS = 600_000;
/** Results younger than this are not read again. */
const FRESH_MS = 2_000;

const entries = new Map<string, Entry>();

/** Entry of a query without variables: reads nothing. */
const NOTHING: Entry = {
  state: signal({ loading: false }),
  load: async () => {},
  reload: async () => {},
  at: Number.POSITIVE_INFINITY,
  failed: 0,
};

/** Clears the cache, after a change of the organization or a sign-out. */
export const clearQueryCache = (): void => entries.clear();

/**
 * Reads a document. Returns the cached result immediately and the new result on arrival. Reads nothing without
 * variables. Retries temporary failures for as long as the component is mounted.
 */
export function useQuery<Result, Variables>(
  document: GraphQLDocument<Result, Variables>,
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

/**
 * Returns the milliseconds before the next retry: doubled with each failure, and at least the pause that the server
 * asks for.
 */
function pauseAfter({ failed, state }: Entry): number {
  const asked = Math.min(LONGEST_ASKED_MS, state.peek().error?.retryAfterMs ?? 0);
  return Math.max(asked, Math.min(LONGEST_MS, PAUSE_MS * 2 ** (failed - 1)));
}

function entryOf<Result, Variables>(
  key: string,
  document: GraphQLDocument<Result, Variables>,
  variables: Variables,
): Entry {
  const known = entries.get(key);
  // Moves the entry to the end of the map, so that the first entry is the least recently used.
  entries.delete(key);
  const entry = known ?? newEntry(document, variables);
  entries.set(key, entry);
  for (const oldest of entries.keys()) {
    if (entries.size <= MOST) break;
    entries.delete(oldest);
  }
  return entry;
}

function newEntry<Result, Variables>(document: GraphQLDocument<Result, Variables>, variables: Variables): Entry {
  const state = signal<QueryState<unknown>>({ loading: true });
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      state.value = { ...state.peek(), loading: true };
      const data = await requestGraphQL(document, variables);
      await waitForPointerRelease();
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
