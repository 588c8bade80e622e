import type { ClientBase } from "pg";
import {
  arrays,
  type Copy,
  column,
  copyOf,
  int4,
  json,
  nameList,
  text,
  timestamptz,
  unnestList,
  uuid,
} from "../../tuple/index.ts";
import { namedSession, partsOf } from "../correlation.ts";
import { uuid5 } from "../fold/ids.ts";
import type { Observation } from "../observation.ts";
import type { Packet } from "./packet.ts";
import type { BatchKey, Recent } from "./recent.ts";
import type { Arrival } from "./session-rows.ts";

/** Observations of one part, as one commit stores them. */
export interface BatchRow {
  organization_id: string;
  part: string;
  /** A hash of their content: a repeat is the same row. */
  batch_id: string;
  /** The session that they name. */
  session_id: string | null;
  /** Epoch ms. */
  received_at: number;
  key_name: string;
  observations: readonly Observation[];
  /** Their JSON, a list. */
  body: string;
}

/** A note that a part has new observations. Each commit writes its own, so that commits never wait for each other. */
interface UnfoldedRow {
  organization_id: string;
  part: string;
  commit_id: string;
  received_at: number;
  observations: number;
}

const COLUMNS = [
  column("organization_id", uuid, (row: BatchRow) => row.organization_id),
  column("part", uuid, (row: BatchRow) => row.part),
  column("batch_id", uuid, (row: BatchRow) => row.batch_id),
  column("session_id", uuid, (row: BatchRow) => row.session_id),
  column("received_at", timestamptz, (row: BatchRow) => row.received_at),
  column("key_name", text, (row: BatchRow) => row.key_name),
  column("body", json, (row: BatchRow) => row.body),
] as const;

const UNFOLDED = [
  column("organization_id", uuid, (row: UnfoldedRow) => row.organization_id),
  column("part", uuid, (row: UnfoldedRow) => row.part),
  column("commit_id", uuid, (row: UnfoldedRow) => row.commit_id),
  column("received_at", timestamptz, (row: UnfoldedRow) => row.received_at),
  column("observations", int4, (row: UnfoldedRow) => row.observations),
] as const;

/** Observations of one row, and characters of their JSON, from which on the next one begins. */
const MOST = { observations: 256, characters: 256 * 1024 };

interface Batch {
  part: string;
  session_id: string | null;
  observations: Observation[];
  texts: string[];
  characters: number;
}

/** Rows of observations, by part and session. A row for each is as large again, and takes as long to write and to read. */
export function batchesOf(
  { organizationId, keyName, now }: Arrival & { keyName: string },
  observations: Iterable<Observation>,
): BatchRow[] {
  const rows = new Map<string, BatchRow>();
  const open = new Map<string, Batch>();
  const close = (key: string): void => {
    const batch = open.get(key);
    open.delete(key);
    if (!batch) return;
    add(batch, `[${batch.texts.join(",")}]`);
  };
  const add = ({ part, session_id, observations }: Batch, body: string, content = body): void => {
    const batch_id = uuid5(part, content);
    const row = { organization_id: organizationId, part, batch_id, session_id, received_at: now, key_name: keyName };
    rows.set(part + batch_id, { ...row, observations, body });
  };
  for (const observation of observations) {
    const part = partsOf(organizationId, observation)[0] ?? organizationId;
    const session_id = namedSession(organizationId, observation) ?? null;
    const text = JSON.stringify(observation);
    if (observation.isArrival) {
      const batch = { part, session_id, observations: [observation], texts: [], characters: 0 };
      add(batch, `[${text}]`, contentOf(observation, text));
      continue;
    }
    const key = part + session_id;
    const batch = open.get(key) ?? { part, session_id, observations: [], texts: [], characters: 0 };
    open.set(key, batch);
    batch.observations.push(observation);
    batch.texts.push(text);
    batch.characters += text.length;
    if (batch.texts.length >= MOST.observations || batch.characters >= MOST.characters) close(key);
  }
  for (const key of [...open.keys()]) close(key);
  return [...rows.values()];
}

/**
 * The identity of an observation that is known by its arrival alone. The time is no part of it: a repeat arrives later.
 * The end of a session is known by it: a session that is resumed ends again, in the same words. So does who asks the same
 * twice.
 */
function contentOf(observation: Observation, text: string): string {
  const { startedAt, endedAt } = observation;
  if (observation.ends === "session" || observation.waits) return text;
  return JSON.stringify({ ...observation, startedAt: startedAt && 0, endedAt: endedAt && 0 });
}

/** The notes of the parts that rows stand in. */
export function unfoldedOf(rows: readonly BatchRow[], commitId: string): UnfoldedRow[] {
  const parts = new Map<string, UnfoldedRow>();
  for (const { organization_id, part, received_at, observations } of rows) {
    const known = parts.get(part);
    if (known) known.observations += observations.length;
    else
      parts.set(part, { organization_id, part, commit_id: commitId, received_at, observations: observations.length });
  }
  return [...parts.values()];
}

/** Copies of new rows, which fail with 23505 where one is there. */
export const copiesOf = (rows: readonly BatchRow[], unfolded: readonly UnfoldedRow[]): Copy[] => [
  copyOf("recorded_observation", COLUMNS, rows),
  copyOf("recorded_unfolded", UNFOLDED, unfolded),
];

/** Raw SQL, as all of this: docs/database.md says why. Inserts rows that are not there yet, and the notes of their parts. */
export function insertObservations(packet: Packet, rows: readonly BatchRow[], unfolded: readonly UnfoldedRow[]): void {
  packet.push(
    {
      name: "observe-append",
      text: `insert into recorded_observation (${nameList(COLUMNS)}) select * from ${unnestList(COLUMNS)}
        on conflict (organization_id, part, batch_id) do nothing`,
      values: arrays(COLUMNS, rows),
    },
    {
      name: "observe-unfolded",
      text: `insert into recorded_unfolded (${nameList(UNFOLDED)}) select * from ${unnestList(UNFOLDED)}`,
      values: arrays(UNFOLDED, unfolded),
    },
  );
}

/** A stored observation, as the fold takes it. */
export interface StoredObservation {
  part: string;
  /** Epoch ms. */
  receivedAt: number;
  keyName: string;
  observation: Observation;
}

/** The observations of some parts; `isCut` when there are more than one fold takes. */
export interface ReadObservations {
  stored: StoredObservation[];
  isCut: boolean;
}

/** Bytes of observations, as they are stored, that one fold takes. */
const MOST_BYTES = 48 * 1024 * 1024;

/** The observations of parts since each was sealed, the first of them first. */
export async function readObservations(
  client: ClientBase,
  organizationId: string,
  parts: readonly { part: string; sealed_at: number | null }[],
  recent: Recent,
): Promise<ReadObservations> {
  if (parts.length === 0) return { stored: [], isCut: false };
  const { rows } = await client.query<BatchKey & { key_name: string; isCut: boolean }>({
    name: "observe-observations",
    text: `select part, batch_id, (extract(epoch from received_at) * 1000)::float8 as received_at, key_name,
        total > ${MOST_BYTES} as "isCut"
      from (select o.*, sum(o.size) over (order by o.received_at, o.batch_id) as before, sum(o.size) over () as total
        from unnest($2::uuid[], $3::float8[]) n (part, sealed_at) cross join lateral (
          select part, batch_id, received_at, key_name, pg_column_size(body) as size from recorded_observation
          where organization_id = $1 and part = n.part
            and received_at > coalesce(to_timestamp(n.sealed_at / 1000), '-infinity') offset 0) o) o
      where before - size < ${MOST_BYTES} order by received_at, batch_id`,
    values: [organizationId, parts.map(({ part }) => part), parts.map(({ sealed_at }) => sealed_at)],
  });
  const found = rows.map((row) => ({ ...row, observations: recent.get(row) }));
  const bodies = await readBodies(
    client,
    organizationId,
    found.filter(({ observations }) => !observations),
  );
  const stored = found.flatMap(({ part, batch_id, received_at, key_name, observations }) =>
    (observations ?? bodies.get(part + batch_id) ?? []).map((observation): StoredObservation => {
      return { part, receivedAt: received_at, keyName: key_name, observation };
    }),
  );
  return { stored, isCut: rows[0]?.isCut ?? false };
}

async function readBodies(
  client: ClientBase,
  organizationId: string,
  batches: readonly BatchKey[],
): Promise<Map<string, Observation[]>> {
  if (batches.length === 0) return new Map();
  const { rows } = await client.query<{ part: string; batch_id: string; body: string }>({
    name: "observe-bodies",
    text: `select o.* from unnest($2::uuid[], $3::uuid[]) n (part, id) cross join lateral (
        select part, batch_id, body::text as body from recorded_observation
        where organization_id = $1 and part = n.part and batch_id = n.id offset 0) o`,
    values: [organizationId, batches.map(({ part }) => part), batches.map(({ batch_id }) => batch_id)],
  });
  return new Map(rows.map(({ part, batch_id, body }) => [part + batch_id, JSON.parse(body)]));
}
