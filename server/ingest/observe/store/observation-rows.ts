import type { ClientBase } from "pg";
import type { Observation } from "../../../agents/observation.ts";
import {
  type CopyStatement,
  column,
  columnArrays,
  columnNamesSql,
  createCopyOfRows,
  int4,
  json,
  text,
  timestamptz,
  unnestColumnsSql,
  uuid,
} from "../../tuple/index.ts";
import { findNamedSessionId, findPartIds } from "../correlation.ts";
import { uuid5 } from "../fold/ids.ts";
import type { StatementPacket } from "./packet.ts";
import type { BatchKey, RecentObservationCache } from "./recent.ts";
import type { FoldArrival } from "./session-rows.ts";

/** Observations of one part that one commit stores together in a single row. */
export interface ObservationBatchRow {
  organization_id: string;
  part: string;
  /**
   * Hash of the content of the observations. If the observations are sent again, the hash and therefore the row are the
   * same.
   */
  batch_id: string;
  /** Session that the observations name. */
  session_id: string | null;
  /** Epoch ms. */
  received_at: number;
  key_name: string;
  observations: readonly Observation[];
  /** Observations as a JSON list. */
  body: string;
}

/**
 * Note that a part has new observations. Each commit writes separate notes, so that commits never wait for each
 * other.
 */
interface UnfoldedRow {
  organization_id: string;
  part: string;
  commit_id: string;
  received_at: number;
  observations: number;
}

const COLUMNS = [
  column("organization_id", uuid, (row: ObservationBatchRow) => row.organization_id),
  column("part", uuid, (row: ObservationBatchRow) => row.part),
  column("batch_id", uuid, (row: ObservationBatchRow) => row.batch_id),
  column("session_id", uuid, (row: ObservationBatchRow) => row.session_id),
  column("received_at", timestamptz, (row: ObservationBatchRow) => row.received_at),
  column("key_name", text, (row: ObservationBatchRow) => row.key_name),
  column("body", json, (row: ObservationBatchRow) => row.body),
] as const;

const UNFOLDED = [
  column("organization_id", uuid, (row: UnfoldedRow) => row.organization_id),
  column("part", uuid, (row: UnfoldedRow) => row.part),
  column("commit_id", uuid, (row: UnfoldedRow) => row.commit_id),
  column("received_at", timestamptz, (row: UnfoldedRow) => row.received_at),
  column("observations", int4, (row: UnfoldedRow) => row.observations),
] as const;

/**
 * Number of observations, and number of characters of JSON, at which a row is full. The next observation begins a new
 * row.
 */
const MOST = { observations: 256, characters: 256 * 1024 };

interface Batch {
  part: string;
  session_id: string | null;
  observations: Observation[];
  texts: string[];
  characters: number;
}

/**
 * Creates rows that each contain the observations of one part and session. One row per observation would double the
 * storage, and the time for writing and reading. Only an observation with arrival times gets a row of its own.
 */
export function buildBatchRows(
  { organizationId, keyName, now }: FoldArrival & { keyName: string },
  observations: Iterable<Observation>,
): ObservationBatchRow[] {
  const rows = new Map<string, ObservationBatchRow>();
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
    const part = findPartIds(organizationId, observation)[0] ?? organizationId;
    const session_id = findNamedSessionId(organizationId, observation) ?? null;
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
 * Returns the content from which the id of an observation is computed. Used for observations whose only times are
 * arrival times. The times are left out, because the same observation arrives later when it is sent again. Ends of
 * sessions and requests to the user keep their times: a resumed session ends again with the same content, and an agent
 * may ask the same question twice.
 */
function contentOf(observation: Observation, text: string): string {
  const { startedAt, endedAt } = observation;
  if (observation.ends === "session" || observation.waits) return text;
  return JSON.stringify({ ...observation, startedAt: startedAt && 0, endedAt: endedAt && 0 });
}

/** Creates one note for each part that has new rows. */
export function buildUnfoldedRows(rows: readonly ObservationBatchRow[], commitId: string): UnfoldedRow[] {
  const parts = new Map<string, UnfoldedRow>();
  for (const { organization_id, part, received_at, observations } of rows) {
    const known = parts.get(part);
    if (known) known.observations += observations.length;
    else
      parts.set(part, { organization_id, part, commit_id: commitId, received_at, observations: observations.length });
  }
  return [...parts.values()];
}

/** Creates COPYs of new rows. The COPYs fail with 23505 if a row exists already. */
export const buildBatchCopies = (
  rows: readonly ObservationBatchRow[],
  unfolded: readonly UnfoldedRow[],
): CopyStatement[] => [
  createCopyOfRows("recorded_observation", COLUMNS, rows),
  createCopyOfRows("recorded_unfolded", UNFOLDED, unfolded),
];

/**
 * Raw SQL, like all statements here; docs/database.md explains why. Inserts rows that do not exist yet, and the notes
 * of their parts.
 */
export function insertObservations(
  packet: StatementPacket,
  rows: readonly ObservationBatchRow[],
  unfolded: readonly UnfoldedRow[],
): void {
  packet.push(
    {
      name: "observe-append",
      text: `insert into recorded_observation (${columnNamesSql(COLUMNS)}) select * from ${unnestColumnsSql(COLUMNS)}
        on conflict (organization_id, part, batch_id) do nothing`,
      values: columnArrays(COLUMNS, rows),
    },
    {
      name: "observe-unfolded",
      text: `insert into recorded_unfolded (${columnNamesSql(UNFOLDED)}) select * from ${unnestColumnsSql(UNFOLDED)}`,
      values: columnArrays(UNFOLDED, unfolded),
    },
  );
}

/** Stored observation as input for the fold. */
export interface StoredObservation {
  part: string;
  /** Epoch ms. */
  receivedAt: number;
  keyName: string;
  observation: Observation;
}

/** Observations of several parts. `isCut` is true if the parts have more observations than one fold reads. */
export interface ObservationReadResult {
  stored: StoredObservation[];
  isCut: boolean;
}

/** Maximum stored bytes of observations in one fold. */
const MOST_BYTES = 48 * 1024 * 1024;

/**
 * Reads the observations of parts, the oldest first. For a sealed part, reads only the observations that arrived after
 * `sealed_at`.
 */
export async function readObservations(
  client: ClientBase,
  organizationId: string,
  parts: readonly { part: string; sealed_at: number | null }[],
  recent: RecentObservationCache,
): Promise<ObservationReadResult> {
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
