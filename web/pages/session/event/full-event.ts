import { useEffect, useState } from "preact/hooks";
import { Event, type EventQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";

/** Event with arguments and result. */
export type FullEvent = EventQuery["recordedEvent"];

/** Maximum number of characters per text in the first read, and in the read of the full content. */
const FIRST = 20_000;
const ALL = 8_388_608;

/** Reads an event with truncated content, and with the full content after a call of `whole`. */
export function useFullEvent(id: string) {
  const [most, setMost] = useState(FIRST);
  useEffect(() => setMost(FIRST), [id]);
  const { data, error, loading, reload } = useQuery(Event, { id, maxLength: most + 1 });
  const [kept, keep] = useState<FullEvent>();
  useEffect(() => {
    if (data) keep(data.recordedEvent);
  }, [data]);
  // Keeps the truncated content while the full content is read.
  const full = data?.recordedEvent ?? (kept?.id === id ? kept : undefined);
  return { full, error, loading, most, whole: () => setMost(ALL), reload };
}
