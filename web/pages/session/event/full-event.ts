import { useEffect, useState } from "preact/hooks";
import { Event, type EventQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";

/** An event with its texts. */
export type FullEvent = EventQuery["recordedEvent"];

/** Characters of a text that are read at first, and all there can be. */
const FIRST = 20_000;
const ALL = 8_388_608;

/** Reads an event with the beginnings of its texts, and with all of them once `whole` is called. */
export function useFullEvent(id: string) {
  const [most, setMost] = useState(FIRST);
  useEffect(() => setMost(FIRST), [id]);
  const { data, error, loading, reload } = useQuery(Event, { id, maxLength: most + 1 });
  const [kept, keep] = useState<FullEvent>();
  useEffect(() => {
    if (data) keep(data.recordedEvent);
  }, [data]);
  // While the rest is read its beginning stays.
  const full = data?.recordedEvent ?? (kept?.id === id ? kept : undefined);
  return { full, error, loading, most, whole: () => setMost(ALL), reload };
}
