import type { ClientBase } from "pg";
import {
  type EncodedEvent,
  EVENT_COLUMN_NAMES_SQL,
  EVENT_COLUMNS,
  tuplesToColumnArrays,
  unnestColumnsSql,
} from "../tuple/index.ts";
import { compareKeys, type RowToStore } from "./load.ts";
import { findEventsEqualUnlessRedacted } from "./same-content.ts";

type Event = RowToStore<EncodedEvent>;

/**
 * Raw SQL, like all statements in this file. Rows are passed as one array per column, because the SQL parser would need
 * time for a long list of values.
 */
const INSERT = `insert into recorded_event (${EVENT_COLUMN_NAMES_SQL}) select * from ${unnestColumnsSql(EVENT_COLUMNS)}
  on conflict (organization_id, event_id) do nothing returning organization_id, event_id`;

/**
 * The columns that must be equal in a repeated event and the stored event: everything that the caller sent. A time that
 * the server set is ignored.
 */
const content = (alias: string) =>
  ["session_id", "parent_id", "latency", "timestamp_sent", "success", "primitive_name", "primitive_type", "args"]
    .concat("result")
    .map((name) => `${alias}.${name}`)
    .concat(`case when ${alias}.timestamp_sent then ${alias}.timestamp end`, `${alias}.metadata::jsonb`)
    .join(", ");

/** Selects the positions of the sent events whose stored event, with the same id, has different content. */
const OTHERS = `select sent.place::integer as place
  from ${unnestColumnsSql(EVENT_COLUMNS)} with ordinality sent (${EVENT_COLUMN_NAMES_SQL}, place)
  join recorded_event known on known.organization_id = sent.organization_id and known.event_id = sent.event_id
  where (${content("sent")}) is distinct from (${content("known")})`;

/** Stores the events with new ids. Marks an event as a conflict if the id is stored with different content. */
export async function insertEvents(client: ClientBase, events: readonly Event[]): Promise<{ repeats: boolean }> {
  const { first, again } = separateRepeatedEvents(events);
  const { rows } = await client.query<{ organization_id: string; event_id: string }>({
    name: "ingest-events",
    text: INSERT,
    values: tuplesToColumnArrays(first),
  });
  const repeats = rows.length !== first.length;
  const made = repeats ? new Set(rows.map((row) => row.organization_id + row.event_id)) : undefined;
  for (const event of first) event.isNew = made?.has(event.organization_id + event.row.event_id) ?? true;
  await markConflicts(client, repeats ? events : again);
  return { repeats };
}

/**
 * Sorts events by organization and id. Of several events with the same id, the first event (`first`) is stored, and the
 * other events (`again`) are compared with that event.
 */
export function separateRepeatedEvents(events: readonly Event[]): { first: Event[]; again: Event[] } {
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
  const values = tuplesToColumnArrays(events);
  const others = await client.query<{ place: number }>({ name: "ingest-others", text: OTHERS, values });
  const different = others.rows.flatMap(({ place }) => events[place - 1] ?? []);
  const same = new Set(await findEventsEqualUnlessRedacted(client, different));
  for (const event of different) if (!same.has(event)) event.verdict = "conflict";
}
