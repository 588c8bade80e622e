import type { ClientBase } from "pg";
import { type EncodedEvent, EVENT_COLUMNS, EVENT_NAMES, tupleArrays, unnestList } from "../tuple/index.ts";
import { compareKeys, type RowToStore } from "./load.ts";
import { findSameButRedacted } from "./same-content.ts";

type Event = RowToStore<EncodedEvent>;

/** Raw SQL, like all statements here: rows are passed as one list per column, which takes the SQL parser no time. */
const INSERT = `insert into recorded_event (${EVENT_NAMES}) select * from ${unnestList(EVENT_COLUMNS)}
  on conflict (organization_id, event_id) do nothing returning organization_id, event_id`;

/**
 * The columns in which a repeated event must equal the stored event: everything that the caller sent. A time that the
 * server set does not count.
 */
const content = (alias: string) =>
  ["session_id", "parent_id", "latency", "timestamp_sent", "success", "primitive_name", "primitive_type", "args"]
    .concat("result")
    .map((name) => `${alias}.${name}`)
    .concat(`case when ${alias}.timestamp_sent then ${alias}.timestamp end`, `${alias}.metadata::jsonb`)
    .join(", ");

/** Selects the positions of the rows whose stored event has different content. */
const OTHERS = `select sent.place::integer as place
  from ${unnestList(EVENT_COLUMNS)} with ordinality sent (${EVENT_NAMES}, place)
  join recorded_event known on known.organization_id = sent.organization_id and known.event_id = sent.event_id
  where (${content("sent")}) is distinct from (${content("known")})`;

/** Stores the events with new ids. Marks an event as a conflict if the id is stored with different content. */
export async function insertEvents(client: ClientBase, events: readonly Event[]): Promise<{ repeats: boolean }> {
  const { first, again } = sortEvents(events);
  const { rows } = await client.query<{ organization_id: string; event_id: string }>({
    name: "ingest-events",
    text: INSERT,
    values: tupleArrays(first),
  });
  const repeats = rows.length !== first.length;
  const made = repeats ? new Set(rows.map((row) => row.organization_id + row.event_id)) : undefined;
  for (const event of first) event.isNew = made?.has(event.organization_id + event.row.event_id) ?? true;
  await markConflicts(client, repeats ? events : again);
  return { repeats };
}

/** Sorts events by id. Of equal ids, the first event is stored and the other events are compared with that event. */
export function sortEvents(events: readonly Event[]): { first: Event[]; again: Event[] } {
  const sorted = [...events].sort(
    (a, b) => compareKeys(a.organization_id, b.organization_id) || compareKeys(a.row.event_id, b.row.event_id),
  );
  const isAgain = (event: Event, index: number) => {
    const before = sorted[index - 1];
    return before?.row.event_id === event.row.event_id && before.organization_id === event.organization_id;
  };
  const again = sorted.filter(isAgain);
  return { first: again.length === 0 ? sorted : sorted.filter((event, index) => !isAgain(event, index)), again };
}

async function markConflicts(client: ClientBase, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return;
  const values = tupleArrays(events);
  const others = await client.query<{ place: number }>({ name: "ingest-others", text: OTHERS, values });
  const different = others.rows.flatMap(({ place }) => events[place - 1] ?? []);
  const same = new Set(await findSameButRedacted(client, different));
  for (const event of different) if (!same.has(event)) event.verdict = "conflict";
}
