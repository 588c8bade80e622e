import { useEffect, useState } from "preact/hooks";
import { OutlineSearch } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import type { EventTree } from "./events.ts";

/** What a text was found in. */
export interface Found {
  count: string;
  first: string | undefined;
  /** The events, and those above them. */
  within: ReadonlySet<string>;
}

const PAUSE_MS = 200;
const MOST = 5_000;

/** Finds a text in the names, arguments and results of a session; nothing while there is none. */
export function useFound(sessionId: string, text: string, tree: EventTree): Found | undefined {
  const [ids, setIds] = useState<{ ids: readonly string[]; more: boolean }>();
  const wanted = text.trim();
  useEffect(() => {
    if (wanted === "") return setIds(undefined);
    const abort = new AbortController();
    const timer = setTimeout(() => {
      request(OutlineSearch, { sessionId, text: wanted, first: MOST }, abort.signal).then(
        ({ recordedOutline }) => setIds({ ids: recordedOutline.ids.map(String), more: recordedOutline.hasNextPage }),
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [sessionId, wanted, tree.all.length]);
  const [found, setFound] = useState<Found>();
  useEffect(() => setFound(ids && foundIn(ids, tree)), [ids, tree]);
  return found;
}

function foundIn({ ids, more }: { ids: readonly string[]; more: boolean }, tree: EventTree): Found {
  const within = new Set<string>();
  for (const id of ids) {
    for (let at = tree.byId.get(id) ?? null; at && !within.has(at.id); at = at.parent) within.add(at.id);
  }
  return { count: `${ids.length}${more ? "+" : ""} found`, first: ids[0], within };
}
